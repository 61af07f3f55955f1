import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { createAmqpBus } from '../../src/adapters/amqp/bus.ts';
import { createPodInvoker } from '../../src/adapters/pod-invoker.ts';
import {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../src/dispatcher/dispatcher.ts';
import { SlessError } from '../../src/errors.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import type { Invocation } from '../../src/ports/invocation-log.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { type Consumer, type ConsumerState, consumerStateOf } from '../../src/resources/trigger/consumer.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { type Relay, startRelay } from '../network/relay.ts';
import { createFakeCluster, type FakeCluster } from '../proxy/fake-cluster.ts';
import { fn, slice } from '../proxy/objects.ts';
import { type Broker, openBroker } from '../rabbitmq/broker.ts';
import { configMapOf, consumerOf, NAMESPACE, namespaceOf, triggerOf } from './objects.ts';
import { type Pod, startPod } from './pod.ts';

/** A dispatcher on a real broker, with a cluster and pods that a test writes. */
export interface Stage {
  readonly broker: Broker;
  /** Between the dispatcher and the broker. */
  readonly relay: Relay;
  readonly pod: Pod;
  readonly cluster: FakeCluster;
  readonly dispatcher: Dispatcher;
  /** How often the state of a consumer was written. */
  readonly writes: ConsumerState[];
  readonly secrets: Map<string, KubeObject>;
  /** What it recorded of its tries. */
  readonly records: Invocation[];
  /** A queue, its name resolved. */
  declare(queue: string, options?: object): Promise<string>;
  publish(queue: string, bodies: readonly (string | Buffer)[], options?: object): Promise<void>;
  /** The Trigger and its ConfigMap come to be. */
  serve(changes?: Partial<Consumer>): Consumer;
  unserve(consumer: Consumer): void;
  /** What the ConfigMap says. */
  stateOf(consumer: Consumer): ConsumerState | undefined;
  /** Ready, wanted but not ready, or scaled to zero. */
  scale(replicas: number, ready?: boolean): void;
  another(): Dispatcher;
  close(): Promise<void>;
}

export const until = (check: () => void | Promise<void>, timeout = 20_000): Promise<void> =>
  vi.waitFor(check, { timeout, interval: 20 });

export async function openStage(
  options: Partial<DispatcherOptions> & { readonly on?: Broker } = {},
): Promise<Stage> {
  const broker = options.on ?? (await openBroker());
  const relay = await startRelay(broker.place);
  const pod = await startPod();
  const fake = createFakeCluster();
  fake.apply(namespaceOf(NAMESPACE));
  const secrets = new Map<string, KubeObject>();
  const writes: ConsumerState[] = [];
  const records: Invocation[] = [];
  const record = (call: Invocation) => void records.push(call);
  const configMaps = new Map<string, KubeObject>();
  const cluster = Object.assign(fake, writable({ fake, secrets, writes, configMaps }));
  const opened: (() => Promise<void>)[] = [];
  const start = (): Dispatcher => {
    const clocks = { clock: Date, monotonic: performance, random: Math.random };
    const { invoker, pods, close } = createPodInvoker(clocks);
    const bus = createAmqpBus();
    const settings: DispatcherOptions = {
      url: async () => broker.url(relay),
      queueTemplate: '{namespace}.{queue}',
      allowedHosts: [],
      drainMs: 5000,
      delays: { firstMs: 100, maxMs: 1000 },
      ...options,
    };
    const deps = { ...clocks, cluster, bus, invoker, pods, newId: randomUUID, logger: silentLogger, record };
    const dispatcher = createDispatcher(deps, settings);
    opened.push(async () => {
      await dispatcher.close();
      await bus.close();
      close();
    });
    return dispatcher;
  };
  const scale: Stage['scale'] = (replicas, ready = replicas > 0) =>
    fake.apply(
      fn(NAMESPACE, 'hello', { replicas }),
      slice(NAMESPACE, 'hello', [{ port: pod.port, pod: 'one', conditions: { ready, serving: ready } }]),
    );
  scale(1);
  const publisher = await broker.model.createConfirmChannel();
  return {
    broker,
    relay,
    pod,
    cluster: fake,
    dispatcher: start(),
    writes,
    records,
    secrets,
    async declare(queue, more = {}) {
      await broker.channel.assertQueue(`${NAMESPACE}.${queue}`, { durable: true, ...more });
      return `${NAMESPACE}.${queue}`;
    },
    async publish(queue, bodies, more = {}) {
      for (const body of bodies)
        publisher.sendToQueue(`${NAMESPACE}.${queue}`, Buffer.from(body), { persistent: true, ...more });
      await publisher.waitForConfirms();
    },
    serve(changes) {
      const consumer = consumerOf(changes);
      const configMap = configMapOf(consumer);
      configMaps.set(configMap.metadata.name, configMap);
      fake.apply(triggerOf(consumer), configMap);
      return consumer;
    },
    unserve(consumer) {
      fake.remove(configMapOf(consumer));
      fake.remove(triggerOf(consumer));
    },
    stateOf: (consumer) => {
      const configMap = configMaps.get(configMapOf(consumer).metadata.name);
      return configMap && consumerStateOf(configMap);
    },
    scale,
    another: start,
    async close() {
      await Promise.all(opened.map((end) => end()));
      await relay.close();
      await pod.close();
      if (options.on === undefined) await broker.close();
    },
  };
}

interface Written {
  readonly fake: FakeCluster;
  readonly secrets: ReadonlyMap<string, KubeObject>;
  readonly writes: ConsumerState[];
  readonly configMaps: Map<string, KubeObject>;
}

function writable({ fake, secrets, writes, configMaps }: Written): Pick<Cluster, 'get' | 'patch'> {
  return {
    get: async ({ namespace, name }) => secrets.get(`${namespace}/${name}`),
    async patch({ name }, patch) {
      const object = configMaps.get(name);
      if (object === undefined) throw new SlessError('NotFound', `no ConfigMap ${name}`);
      const { annotations } = patch.metadata as { annotations: Record<string, string> };
      const changed = { ...object, metadata: { ...object.metadata, annotations } };
      configMaps.set(name, changed);
      const state = consumerStateOf(changed);
      expect(state, 'a state that a hook can read').toBeDefined();
      writes.push(state as ConsumerState);
      fake.apply(changed);
      return changed;
    },
  };
}
