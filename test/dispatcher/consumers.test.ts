import { expect, test } from 'vitest';
import { watchConsumers } from '../../src/dispatcher/consumers.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { createFakeCluster } from '../proxy/fake-cluster.ts';
import { configMapOf, consumerOf, NAMESPACE, namespaceOf, triggerOf } from './objects.ts';

async function open() {
  const cluster = createFakeCluster();
  cluster.apply(namespaceOf(NAMESPACE));
  const told: { readonly wanted: string[]; readonly touched: string[] }[] = [];
  watchConsumers({
    cluster,
    logger: silentLogger,
    changed: (wanted, touched) => told.push({ wanted: [...wanted.keys()], touched: [...touched] }),
  });
  await Promise.resolve();
  return { cluster, last: () => told.at(-1) };
}
const [one, two] = ['one', 'two'].map((trigger) => consumerOf({ trigger })) as [
  ReturnType<typeof consumerOf>,
  ReturnType<typeof consumerOf>,
];

test('an event is about one Trigger, and only that is looked at', async () => {
  const { cluster, last } = await open();
  cluster.apply(triggerOf(one), configMapOf(one), triggerOf(two), configMapOf(two));
  expect(last()).toEqual({ wanted: ['team.one', 'team.two'], touched: ['team.two'] });
  cluster.remove(configMapOf(one));
  expect(last()).toEqual({ wanted: ['team.two'], touched: ['team.one'] });
  cluster.remove(triggerOf(two));
  expect(last()).toEqual({ wanted: [], touched: ['team.two'] });
});

test('a Trigger made again under its name does not get what its predecessor left', async () => {
  const { cluster, last } = await open();
  cluster.apply(triggerOf(one), configMapOf(one));
  const again = { ...one, triggerUid: 'another' };
  cluster.apply(triggerOf(again));
  expect(last()?.wanted).toEqual([]);
  cluster.apply(configMapOf(again));
  expect(last()?.wanted).toEqual(['team.one']);
});

test('a ConfigMap that changes its owner is nobody’s', async () => {
  const { cluster, last } = await open();
  cluster.apply(triggerOf(one), triggerOf(two), configMapOf(one));
  const { name } = configMapOf(one).metadata;
  const stolen = configMapOf(two);
  cluster.apply({ ...stolen, metadata: { ...stolen.metadata, name } });
  expect(last()).toEqual({ wanted: [], touched: ['team.one', 'team.two'] });
});

test('only namespaces of tenants count, from when they are and as long as they are', async () => {
  const { cluster, last } = await open();
  const other = consumerOf({ namespace: 'kube-system', trigger: 'forged' });
  cluster.apply(triggerOf(one), configMapOf(one), triggerOf(other), configMapOf(other));
  expect(last()?.wanted).toEqual(['team.one']);
  cluster.apply(namespaceOf('kube-system'));
  expect(last()).toEqual({ wanted: ['team.one', 'kube-system.forged'], touched: ['kube-system.forged'] });
  cluster.apply(namespaceOf('kube-system', 'no'));
  expect(last()).toEqual({ wanted: ['team.one'], touched: ['kube-system.forged'] });
  cluster.remove(namespaceOf(NAMESPACE));
  expect(last()?.wanted).toEqual([]);
});

test('among five thousand an event costs no more than itself', async () => {
  const { cluster } = await open();
  const all = Array.from({ length: 5000 }, (_, index) => consumerOf({ trigger: `t${index}` }));
  cluster.apply(...all.flatMap((consumer) => [triggerOf(consumer), configMapOf(consumer)]));
  const started = process.cpuUsage();
  for (let index = 0; index < 100; index += 1) cluster.apply(configMapOf(all[index] as typeof one));
  const { user, system } = process.cpuUsage(started);
  // Looking at all of them took 146 ms each.
  expect((user + system) / 1000 / 100).toBeLessThan(15);
});
