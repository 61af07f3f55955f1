import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { imageOrders } from '../../images/build-with-crane.ts';
import { buildImage } from '../../images/crane/image.ts';
import { openRegistry } from '../../images/crane/registry.ts';
import { confinedContainer } from '../../src/resources/kube/pod.ts';
import { type Pod as Listener, startPod, text } from '../dispatcher/pod.ts';
import { startRelay } from '../network/relay.ts';
import { BROKER, type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { createCleanup } from './cleanup.ts';
import { drivers } from './driver.ts';
import { clusterEnvironment } from './environment.ts';
import { type InstallableEnvironment, type Installation, install, isInstallable } from './installation.ts';
import { kubectl } from './kubectl.ts';
import { makeNamespace, type TestNamespace } from './namespace.ts';
import { boundIn, RIGHTS } from './rights.ts';
import { createTenant, type Tenant } from './tenant.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
if (isInstallable(environment) && withoutBroker === undefined) events(environment);
else test.skip('queues on a cluster', () => undefined);

/** Tells the test of each message, with the word of this version. */
const code = (word: string): Readonly<Record<string, string>> => ({
  'handler.mjs': `export const handle = async (event, context) => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  await fetch(process.env.TELL, { method: 'POST', body: JSON.stringify({ ...event, word: '${word}', attempt: context.message.attempt }) });
  return null;
};`,
});

const EVERY_MS = 10;

/** The dispatcher in a pod with the rights of the chart; it reaches the broker of this machine through a relay. */
function events(given: InstallableEnvironment): void {
  describe('queues on a cluster', { timeout: 300_000 }, () => {
    const cleanup = createCleanup();
    const admin = kubectl(given.kubeconfig);
    let sless: Installation;
    let alice: Tenant;
    let broker: Broker;
    let listener: Listener;
    let system: TestNamespace;

    beforeAll(async () => {
      const all = drivers(given);
      sless = await install(given, all.at(1) ?? 'sync loop');
      cleanup.add('installation', sless.close);
      alice = await createTenant(sless, given.kubeconfig);
      cleanup.add('tenant', alice.drop);
      broker = await openBroker();
      cleanup.add('broker', broker.close);
      const relay = await startRelay(BROKER, given.hostIp);
      cleanup.add('relay', relay.close);
      listener = await startPod(() => 200, given.hostIp);
      cleanup.add('listener', listener.close);
      system = await makeNamespace(admin);
      cleanup.add('system', system.drop);
      await startDispatcher(broker.url(relay));
    }, 600_000);
    afterAll(() => cleanup.run());

    async function startDispatcher(url: string): Promise<void> {
      const rbac = 'rbac.authorization.k8s.io';
      const name = `${system.name}-dispatcher`;
      const meta = { name: 'dispatcher', namespace: system.name };
      const order = imageOrders().find(({ image }) => image.startsWith('sless:'))!;
      const registry = openRegistry({ host: given.registryHost, insecure: given.registryInsecure });
      for (const kind of ['clusterrole', 'clusterrolebinding'])
        cleanup.add(kind, () => admin.run(['delete', kind, name, '--ignore-not-found']));
      await admin.apply(
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta },
        { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules: RIGHTS.dispatcher },
        {
          apiVersion: `${rbac}/v1`,
          kind: 'ClusterRoleBinding',
          metadata: { name },
          roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
          subjects: [{ kind: 'ServiceAccount', ...meta }],
        },
        ...boundIn(alice.namespace, { name: 'dispatcher', rules: RIGHTS.dispatcherInTenants, account: meta }),
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: meta,
          spec: {
            serviceAccountName: 'dispatcher',
            containers: [
              {
                name: 'dispatcher',
                image: await buildImage(registry, order),
                args: ['dispatcher'],
                env: [{ name: 'RABBITMQ_URL', value: url }],
                readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
                securityContext: confinedContainer(),
              },
            ],
          },
        },
      );
      await admin.run([
        'wait',
        'pod/dispatcher',
        '-n',
        system.name,
        '--for=condition=Ready',
        '--timeout=120s',
      ]);
    }

    const told = (): { i: number; word: string; attempt: number }[] =>
      listener.calls.map((call) => JSON.parse(text(call)));
    const ready = (key: string) =>
      waitFor({
        for: `Ready with ${key}`,
        timeoutMs: 120_000,
        look: () => alice.describe('worker'),
        holds: ({ phase, s3_key: at }) => phase === 'Ready' && at === key,
      });
    const consumer = (word: string) =>
      waitFor({
        for: `the consumer ${word} in kubectl's words`,
        timeoutMs: 30_000,
        look: () =>
          admin.run([
            'get',
            'trigger',
            'on-orders',
            '-n',
            alice.namespace,
            '-o',
            'jsonpath={.status.consumer}',
          ]),
        holds: (state) => state === word,
      });

    test('a queue reaches a pod, and its state shows within 30 s', async () => {
      const env = { TELL: `http://${given.hostIp}:${listener.port}/` };
      await alice.call('POST', '/functions', { name: 'worker', runtime: 'nodejs20', env, replicas: 2 });
      const trigger = { name: 'on-orders', type: 'event', function: 'worker', queue: 'orders', prefetch: 20 };
      await alice.call('POST', '/triggers', trigger);
      const key = await alice.upload('worker', code('first'));
      await consumer('QueueNotFound');
      await broker.channel.assertQueue(`${alice.namespace}.orders`, { durable: true });
      await ready(key);
      await consumer('Connected');
      broker.channel.sendToQueue(`${alice.namespace}.orders`, Buffer.from('{"i":-1}'));
      await waitFor({ for: 'the call', look: told, holds: (calls) => calls.length === 1 });
      expect(told()).toEqual([{ i: -1, word: 'first', attempt: 1 }]);
    });

    test('a rollout under load costs no message and no attempt', async () => {
      listener.calls.length = 0;
      const publisher = await broker.model.createConfirmChannel();
      let sent = 0;
      const timer = setInterval(() => {
        publisher.sendToQueue(`${alice.namespace}.orders`, Buffer.from(JSON.stringify({ i: sent })), {
          persistent: true,
        });
        sent += 1;
      }, EVERY_MS);
      try {
        await waitFor({ for: 'the first calls', look: told, holds: (calls) => calls.length > 100 });
        await ready(await alice.upload('worker', code('second')));
        await waitFor({
          for: 'calls of the new version',
          look: told,
          holds: (calls) => calls.slice(-50).every(({ word }) => word === 'second'),
        });
      } finally {
        clearInterval(timer);
      }
      await publisher.waitForConfirms();
      const distinct = () => new Set(told().map(({ i }) => i)).size;
      await waitFor({ for: 'every message', look: distinct, holds: (count) => count === sent });
      const { messageCount } = await broker.channel.checkQueue(`${alice.namespace}.orders`);
      console.info(
        `rollout messages=${sent} calls=${told().length} first=${told().filter(({ word }) => word === 'first').length}`,
      );
      expect(messageCount).toBe(0);
      expect(told().filter(({ attempt }) => attempt > 1)).toEqual([]);
      expect(told().length).toBe(sent);
      expect(await broker.drain(`sless.dead.${alice.namespace}.on-orders`)).toEqual([]);
    });

    test('the dispatcher was refused nothing that it asked for', async () => {
      expect(await admin.run(['logs', 'dispatcher', '-n', system.name])).not.toMatch(/cannot \w+ resource/);
    });
  });
}
