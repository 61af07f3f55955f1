/** The URL of a message broker. */
export function brokerUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^amqps?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('must be a URL such as amqp://user:password@rabbitmq.example.org:5672/vhost');
  return value;
}

/** The template of a queue's name. */
export function queueTemplate(value: string): string {
  const rest = value.replaceAll('{namespace}', '').split('{queue}');
  if (rest.length !== 2 || /[{}]/.test(rest.join('')))
    throw new Error('must hold {queue} once, and besides it only {namespace} and plain text');
  return value;
}

/** Host names, or `*.` and a domain, separated by commas. */
export function hostPatterns(value: string): readonly string[] {
  const patterns = value.split(',').map((entry) => entry.trim().toLowerCase());
  const isPattern = (entry: string): boolean =>
    entry.length <= 253 && /^(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(entry);
  if (!patterns.every(isPattern))
    throw new Error('must be host names such as mq.example.org or *.example.org, separated by commas');
  return patterns;
}
