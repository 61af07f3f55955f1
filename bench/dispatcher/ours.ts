/** The dispatcher as it runs, with a cluster that never changes. Arguments: URL, queue, prefetch, target. */
import { randomUUID } from 'node:crypto';
import { createAmqpBus } from '../../src/adapters/amqp/bus.ts';
import { createPodInvoker } from '../../src/adapters/pod-invoker.ts';
import { createDispatcher } from '../../src/dispatcher/dispatcher.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { configMapOf, consumerOf, NAMESPACE, namespaceOf, triggerOf } from '../../test/dispatcher/objects.ts';
import { createFakeCluster } from '../../test/proxy/fake-cluster.ts';
import { fn, slice } from '../../test/proxy/objects.ts';

const [url = '', queue = '', prefetch = '', target = ''] = process.argv.slice(2);
const cluster = createFakeCluster();
const consumer = consumerOf({ queue, prefetch: Number(prefetch) });
const port = Number(new URL(target).port);
const configMap = configMapOf(consumer);
cluster.apply(
  namespaceOf(NAMESPACE),
  fn(NAMESPACE, 'hello'),
  slice(NAMESPACE, 'hello', [{ port }]),
  triggerOf(consumer),
  configMap,
);
const clocks = { clock: Date, monotonic: performance, random: Math.random };
const { invoker, pods } = createPodInvoker(clocks);
const dispatcher = createDispatcher(
  {
    ...clocks,
    invoker,
    pods,
    cluster: { ...cluster, get: async () => undefined, patch: async () => configMap },
    bus: createAmqpBus(),
    newId: randomUUID,
    logger: createLogger({ level: 'warn' }),
  },
  { url: async () => url, queueTemplate: '{queue}', allowedHosts: [], drainMs: 1000 },
);
while (dispatcher.stats()[0]?.connected !== true) await new Promise((resolve) => setTimeout(resolve, 10));
console.log('port 0');
process.stdin.resume().on('end', () => process.exit(0));
