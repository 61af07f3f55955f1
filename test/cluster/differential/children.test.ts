import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { manageChildren, wantedGroups } from '../../../src/local/sync-loop/children.ts';
import type { FunctionSettings } from '../../../src/resources/function/settings.ts';
import { groupKey, KINDS } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { ask, settle, sync } from '../../hooks/loop.ts';
import { dynamicMerge } from '../../hooks/merge.ts';
import { finishBuild } from '../../hooks/played.ts';
import { FUNCTION_SETTINGS } from '../../hooks/settings.ts';
import { edit, key, type World, world } from '../../hooks/world.ts';
import { clusterEnvironment } from '../environment.ts';
import { createLedger, type Ledger, normalForm } from './normal-form.ts';
import type { Side } from './pair.ts';
import { one, pick, some } from './subjects/metadata.ts';
import { usePair } from './use-pair.ts';

const environment = clusterEnvironment();
const RUNS = environment?.soak ? 200 : 12;
const SEED = environment?.soak ? {} : { seed: 20_260_103 };
const TIMEOUT_MS = environment?.soak ? 3_600_000 : 120_000;

const PRIVATE: FunctionSettings = {
  ...FUNCTION_SETTINGS,
  pullSecret: 'sless-pull',
  builder: {
    ...FUNCTION_SETTINGS.builder,
    insecureRegistry: false,
    pushSecret: 'sless-push',
    serviceAccount: 'sless-builder',
  },
};

const amounts = some({ cpu: one('0.5', '500m', '1', '0.001'), memory: one('64Mi', '1024Mi', '1.5Gi') });
const spec = some({
  env: some({ ZED: one('$(HOME)', '1'), EMPTY: one(''), QUOTED: one('"\'\n😀') }),
  secrets: pick('fn-a', 'fn-b'),
  entrypoint: one('handler.handle', 'pkg/mod.fn'),
  replicas: one(0, 1, 3),
  resources: some({ requests: amounts, limits: one({ cpu: '2', memory: '2Gi' }, { memory: '4Gi' }) }),
  timeoutSeconds: one(1, 60, 3600),
  concurrency: one(1, 100),
  buildTimeoutSeconds: one(30, 900),
});
const history = fc.record({
  first: spec,
  next: spec,
  build: one('append', 'dockerfile'),
  settings: one(FUNCTION_SETTINGS, PRIVATE),
});

/** What the hook wants of the children, one stage of a Function's life after another. */
function stages({
  first,
  next,
  build,
  settings,
}: typeof history extends fc.Arbitrary<infer T> ? T : never): (readonly KubeObject[])[] {
  const of: World = { ...world({ ...first, build, s3Key: key(1) }), settings };
  const wanted = [ask(of).children];
  sync(of);
  finishBuild(of);
  settle(of);
  wanted.push(ask(of).children);
  edit(of, next);
  wanted.push(ask(of).children);
  return wanted;
}

describe.skipIf(environment === undefined)('what the operator wants is stored alike by both clusters', () => {
  const pair = usePair(environment);
  let run = 0;

  /** The child as it is, in the test's namespace and under a name of its own; controllers of the real cluster make nothing of it. */
  const placed = (child: KubeObject): KubeObject => {
    const still = { Deployment: { paused: true }, Job: { managedBy: 'sless.dev/nobody' } }[child.kind];
    const metadata = {
      ...child.metadata,
      name: `c${run}-${child.metadata.name}`,
      namespace: pair().namespace,
    };
    return { ...child, metadata, spec: { ...(child.spec as object), ...still } };
  };

  const makeParent = ({ cluster }: Side) =>
    cluster.create({
      apiVersion: KINDS.Function.apiVersion,
      kind: 'Function',
      metadata: { name: `c${run}-parent`, namespace: pair().namespace },
      spec: { runtime: 'python3.11' },
    });

  /** What is stored after our sync loop has applied the children, and once more after it has forgotten that it did. */
  const applied = async (side: Side, parent: KubeObject, ledger: Ledger, wanted: readonly KubeObject[]) => {
    const kinds = [KINDS.Deployment, KINDS.Job, KINDS.Service];
    const rules = kinds.map((kind) => ({ kind, update: 'InPlace' as const }));
    const stored: unknown[] = [];
    for (const _ of ['first', 'again']) {
      const groups = wantedGroups(parent, wanted, kinds);
      const errors = await manageChildren({ cluster: side.cluster, memory: new Map(), kinds }, {
        parent,
        observed: {},
        wanted: groups,
        rules,
      } as Parameters<typeof manageChildren>[1]);
      expect(errors).toEqual([]);
      for (const child of wanted) stored.push(normalForm(await read(side, child), ledger));
    }
    return stored;
  };

  const read = async ({ cluster }: Side, { apiVersion, kind, metadata }: KubeObject): Promise<KubeObject> => {
    const known = Object.values(KINDS).find(
      (candidate) => groupKey(candidate) === groupKey({ apiVersion, kind }),
    );
    const object = await cluster.get({ kind: known!, namespace: pair().namespace, name: metadata.name });
    if (object === undefined) throw new Error(`there is no ${kind} ${metadata.name}`);
    return object;
  };

  const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

  /** The same by the other strategy: created with a note of what was applied, and merged on this side of the API. */
  const created = async (side: Side, ledger: Ledger, wanted: readonly KubeObject[]) => {
    const stored: unknown[] = [];
    for (const child of wanted) {
      const annotations = { ...child.metadata.annotations, [LAST_APPLIED]: JSON.stringify(child) };
      const noted = {
        ...child,
        metadata: { ...child.metadata, name: `d-${child.metadata.name}`, annotations },
      };
      const object = await side.cluster.create(noted);
      expect(dynamicMerge(object, child, { ...noted, metadata: { ...noted.metadata } })).toEqual(object);
      stored.push(normalForm(object, ledger));
    }
    return stored;
  };

  test('by either strategy, and a second time changes nothing', { timeout: TIMEOUT_MS }, async () => {
    const compare = async (wanted: readonly (readonly KubeObject[])[]): Promise<void> => {
      const [embedded, real] = await Promise.all(
        pair().sides.map(async (side) => {
          const ledger = createLedger();
          const parent = await makeParent(side);
          normalForm(parent, ledger);
          const told: unknown[] = [];
          for (const stage of wanted) {
            const [first, again] = halves(await applied(side, parent, ledger, stage));
            expect(again).toEqual(first);
            told.push(first);
          }
          return [...told, await created(side, ledger, wanted.at(-1) ?? [])];
        }),
      );
      expect(embedded).toEqual(real);
    };
    const property = fc.asyncProperty(history, async (told) => {
      run += 1;
      await compare(stages(told).map((children) => children.map(placed)));
    });
    await fc.assert(property, { numRuns: RUNS, ...SEED });
  });
});

const halves = (all: readonly unknown[]): [unknown[], unknown[]] => [
  all.slice(0, all.length / 2),
  all.slice(all.length / 2),
];
