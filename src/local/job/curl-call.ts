/** A call as the arguments of curl say it: those that the pods of cron Triggers have, and no others. */
export interface CurlCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxSeconds: number;
}

const WITH_VALUE: ReadonlySet<string> = new Set([
  '--header',
  '--data-binary',
  '--max-time',
  '--connect-timeout',
  '--noproxy',
]);

/**
 * Reads the arguments of a cron Trigger's container, so that what a run does is said in one place, its CronJob.
 *
 * @throws Error for arguments without a URL
 */
export function readCurl(args: readonly string[], env: Readonly<Record<string, string>>): CurlCall {
  const headers: Record<string, string> = {};
  let url: string | undefined;
  let maxSeconds = 60;
  for (let index = 0; index < args.length; index += 1) {
    const name = args[index] ?? '';
    const hasValue = WITH_VALUE.has(name);
    const value = hasValue ? (args[index + 1] ?? '') : '';
    if (hasValue) index += 1;
    if (name === '--header') {
      const colon = value.indexOf(':');
      headers[value.slice(0, colon)] = expand(value.slice(colon + 1).trim(), env);
    }
    if (name === '--max-time') maxSeconds = Number(value);
    if (!name.startsWith('--')) url = name;
  }
  if (url === undefined) throw new Error('the call of a cron Trigger names no URL');
  return { url: new URL(url), headers, maxSeconds };
}

const expand = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replace(/\$\(([A-Z_]+)\)/g, (whole, name: string) => env[name] ?? whole);
