import { SlessError } from '../errors.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { BrokerAddress, Subscription } from '../ports/message-bus.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { type Consumer, deadLetterQueueOf } from '../resources/trigger/consumer.ts';

/** What an installation says of its brokers. */
export interface BrokerSettings {
  /** The broker of all who have none of their own; asked for at every connect. Absent: there is none. */
  readonly url?: (() => Promise<string>) | undefined;
  /** How the queue of a Trigger is named there, with `{queue}` and maybe `{namespace}`. */
  readonly queueTemplate: string;
  /** Hosts of brokers that tenants may bring: names, or `*.` and a domain. */
  readonly allowedHosts: readonly string[];
}

/** The longest name that AMQP can say. */
const MAX_NAME = 255;

/**
 * Where a consumer takes its messages, and puts those that cannot be dealt with.
 *
 * @throws SlessError `InvalidSpec` for names that are not the Trigger's to use
 */
export function subscriptionOf(
  consumer: Consumer,
  settings: BrokerSettings,
  cluster: Pick<Cluster, 'get'>,
): Subscription {
  const { namespace, trigger, queue, deadLetterQueue, brokerSecret, prefetch } = consumer;
  const owner = `${namespace}.${trigger}`;
  const isOwn = brokerSecret !== undefined;
  // What the dispatcher itself has named is called so whatever the template says: else nobody could work off dead letters.
  const resolved = (name: string): string =>
    isOwn || isOwnDead(name, namespace)
      ? name
      : queueName(settings.queueTemplate, { namespace, queue: name });
  const names = {
    queue: resolved(queue),
    deadLetterQueue: deadLetterQueue === undefined ? deadLetterQueueOf(owner) : resolved(deadLetterQueue),
  };
  for (const name of Object.values(names)) check(name, namespace);
  if (names.queue === names.deadLetterQueue)
    throw new SlessError(
      'InvalidSpec',
      `the queue ${names.queue} is its own dead-letter queue: what cannot be handled would come again for ever; name another deadLetterQueue`,
    );
  const broker = isOwn
    ? ownBroker(brokerSecret, namespace, { settings, cluster })
    : sharedBroker(settings, namespace);
  return { owner, broker, ...names, named: queue, prefetch };
}

/** How a queue is called on the broker of the installation. */
export function queueName(
  template: string,
  { namespace, queue }: { readonly namespace: string; readonly queue: string },
): string {
  return template.replaceAll('{namespace}', namespace).replaceAll('{queue}', () => queue);
}

/** Of the names that begin so, a Trigger uses what its own namespace left: to work off dead letters, say. */
const RESERVED = /^(?:amq|sless)\./;

const isOwnDead = (name: string, namespace: string): boolean => name.startsWith(`sless.dead.${namespace}.`);

function check(name: string, namespace: string): void {
  if (Buffer.byteLength(name) > MAX_NAME)
    throw new SlessError('InvalidSpec', `the queue's full name ${name} is longer than ${MAX_NAME} bytes`);
  if (RESERVED.test(name) && !isOwnDead(name, namespace))
    throw new SlessError(
      'InvalidSpec',
      `the queue ${name} is not for triggers: the broker or sless keeps it`,
    );
}

/** Of one namespace: what a tenant's message does to a connection is that tenant's alone. */
function sharedBroker({ url }: BrokerSettings, namespace: string): BrokerAddress {
  return {
    id: namespace,
    shared: true,
    async url() {
      if (url === undefined)
        throw new SlessError(
          'BrokerUnavailable',
          'this installation has no broker: name one by brokerSecret',
        );
      return url();
    },
  };
}

interface OwnBrokerDeps {
  readonly settings: BrokerSettings;
  readonly cluster: Pick<Cluster, 'get'>;
}

function ownBroker(name: string, namespace: string, { settings, cluster }: OwnBrokerDeps): BrokerAddress {
  return {
    id: `${namespace}/${name}`,
    async url() {
      const secret = await cluster.get({ kind: KINDS.Secret, namespace, name });
      if (secret === undefined) throw invalid(name, 'does not exist');
      const encoded = (secret.data as Readonly<Record<string, unknown>> | undefined)?.url;
      if (typeof encoded !== 'string') throw invalid(name, 'has no key url');
      const text = Buffer.from(encoded, 'base64').toString('utf8').trim();
      const url = URL.parse(text);
      if (url === null || !/^amqps?:$/.test(url.protocol))
        throw invalid(name, 'has a url that does not begin with amqp:// or amqps://');
      if (!isAllowed(url.hostname, settings.allowedHosts))
        throw invalid(name, `names the host ${url.hostname}, which this installation does not allow`);
      return text;
    },
  };
}

const invalid = (name: string, what: string): SlessError =>
  new SlessError('BrokerSecretInvalid', `the Secret ${name} ${what}`);

function isAllowed(host: string, allowed: readonly string[]): boolean {
  const name = host.toLowerCase();
  return allowed.some((one) => (one.startsWith('*.') ? name.endsWith(one.slice(1)) : name === one));
}
