import { describe, expect, onTestFinished, test } from 'vitest';
import type { ControllerCluster } from '../../../src/ports/cluster.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { clusterEnvironment } from '../environment.ts';
import { waitFor } from '../wait-for.ts';
import { createPlayer, type Outcome, type Stage } from './play.ts';
import type { Step } from './step.ts';
import { usePair } from './use-pair.ts';

const environment = clusterEnvironment();

/** A namespace as `ensure` makes one, two who apply labels to it, and mistakes. */
const STEPS: readonly Step[] = [
  { do: 'create', name: 'a', body: { metadata: { labels: { 'sless.dev/tenant': 'true' } } } },
  { do: 'create', name: 'a', body: {} },
  { do: 'create', name: 'A', body: {} },
  { do: 'create', name: 'x'.repeat(64), body: {} },
  { do: 'apply', name: 'a', manager: 'one', body: { metadata: { labels: { one: 'yes', both: '1' } } } },
  { do: 'apply', name: 'a', manager: 'two', body: { metadata: { labels: { two: 'yes', both: '2' } } } },
  { do: 'apply', name: 'a', manager: 'one', body: { metadata: { annotations: { note: 'x' } } } },
  { do: 'patch', name: 'a', body: { metadata: { labels: { 'sless.dev/tenant': null, two: 'no' } } } },
  { do: 'patch', name: 'a', body: { metadata: { labels: { 'kubernetes.io/metadata.name': null } } } },
  { do: 'patch', name: 'a', body: { metadata: { annotations: { note: 'y' } } }, version: 'stale' },
  { do: 'apply', name: 'b', manager: 'one', body: { metadata: { labels: { 'not a key': 'x' } } } },
];

describe.skipIf(environment === undefined)('of namespaces both clusters say the same', () => {
  const pair = usePair(environment);
  const stage = (): Stage => ({ kind: KINDS.Namespace, namespace: '', prefix: `${pair().namespace}-` });
  const name = () => `${stage().prefix}a`;
  const isGone = async (cluster: ControllerCluster): Promise<boolean> =>
    (await cluster.get({ kind: KINDS.Namespace, name: name() })) === undefined;

  test('while they are there, and when they go with all that is in them', async () => {
    const [embedded, real] = await Promise.all(
      pair().sides.map(async ({ cluster }) => {
        onTestFinished(() => cluster.delete({ kind: KINDS.Namespace, name: name() }).catch(() => undefined));
        const player = createPlayer(cluster, stage());
        const outcomes: Outcome[] = [];
        for (const step of STEPS) outcomes.push(await player.take(step));
        const inside = createPlayer(cluster, { kind: KINDS.ConfigMap, namespace: name(), prefix: '' });
        outcomes.push(await inside.take({ do: 'create', name: 'c', body: { data: { a: '1' } } }));
        await cluster.delete({ kind: KINDS.Namespace, name: name() });
        await waitFor({ for: 'the namespace to go', look: () => isGone(cluster), holds: (gone) => gone });
        outcomes.push(await inside.take({ do: 'create', name: 'c', body: {} }));
        expect(await cluster.get({ kind: KINDS.ConfigMap, namespace: name(), name: 'c' })).toBeUndefined();
        return outcomes;
      }),
    );
    expect(embedded).toEqual(real);
  });
});
