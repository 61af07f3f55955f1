import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ControllerCluster, ObjectRef } from '../../../src/ports/cluster.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject, OwnerReference } from '../../../src/resources/kube/object.ts';
import { clusterEnvironment } from '../environment.ts';
import { waitFor } from '../wait-for.ts';
import { usePair } from './use-pair.ts';

const environment = clusterEnvironment();
const FAMILIES = environment?.soak ? 200 : 20;
const SEED = environment?.soak ? {} : { seed: 20_260_102 };
/** A collector looks again at a kind that it has just met within half a minute. */
const TIMEOUT_MS = 120_000;
/** Longer than a collector that has met everything takes to delete what it should not. */
const AFTERWARDS_MS = 3_000;

/** How an object names an owner: as it is, by another name, or one that there has never been. */
type Naming = 'well' | 'by another name' | 'a ghost';

interface Member {
  readonly kind: 'ConfigMap' | 'Function';
  /** Which of the members made before it own it. */
  readonly owners: readonly { readonly of: number; readonly naming: Naming }[];
  readonly fate: 'stays' | 'is deleted' | 'is deleted and made again';
  readonly held: boolean;
}

const member: fc.Arbitrary<Member> = fc.record({
  kind: fc.constantFrom('ConfigMap' as const, 'Function' as const),
  owners: fc.uniqueArray(
    fc.record({
      of: fc.nat(6),
      naming: fc.constantFrom<Naming>('well', 'well', 'well', 'well', 'by another name', 'a ghost'),
    }),
    { maxLength: 2, selector: ({ of }) => of },
  ),
  fate: fc.constantFrom('stays' as const, 'is deleted' as const, 'is deleted and made again' as const),
  held: fc.constantFrom(false, false, false, true),
});
const family = fc.array(member, { minLength: 2, maxLength: 6 });

describe.skipIf(environment === undefined)('both clusters collect the same', () => {
  const pair = usePair(environment);

  const refOf = ({ kind }: Member, name: string): ObjectRef => ({
    kind: KINDS[kind],
    namespace: pair().namespace,
    name,
  });
  const body = (
    { kind, name }: ObjectRef,
    ownerReferences: readonly OwnerReference[],
    held = false,
  ): KubeObject => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      name,
      namespace: pair().namespace,
      ownerReferences,
      finalizers: held ? ['sless.dev/keep'] : [],
    },
    ...(kind === KINDS.Function ? { spec: { runtime: 'nodejs20' } } : {}),
  });

  /** Makes a family, member by member, and lets each meet its fate. Answers the uids that it made, by name and turn. */
  const play = async (
    cluster: ControllerCluster,
    members: readonly Member[],
    nameOf: (index: number) => string,
  ) => {
    const made: KubeObject[] = [];
    for (const [index, one] of members.entries()) {
      const owners = one.owners
        .filter(({ of }) => of < index)
        .map(({ of, naming }) => ownerOf(made[of]!, naming));
      made.push(await cluster.create(body(refOf(one, nameOf(index)), owners, one.held)));
    }
    const again: (KubeObject | undefined)[] = [];
    for (const [index, one] of members.entries()) {
      const ref = refOf(one, nameOf(index));
      if (one.fate !== 'stays') await cluster.delete(ref).catch(() => undefined);
      if (one.fate !== 'is deleted and made again' || one.held) continue;
      again[index] = await cluster.create(body(ref, [])).catch(() => undefined);
    }
    return members.map((_, index) => ({
      first: made[index]?.metadata.uid,
      second: again[index]?.metadata.uid,
    }));
  };

  test('families of objects, some of whose owners go', { timeout: TIMEOUT_MS + 60_000 }, async () => {
    const families = fc.sample(family, { numRuns: FAMILIES, ...SEED });
    const views = await Promise.all(
      pair().sides.map(async ({ cluster }) => {
        const looks: (() => Promise<string[]>)[] = [];
        for (const [number, members] of families.entries()) {
          const nameOf = (index: number) => `family-${number}-${index}`;
          const uids = await play(cluster, members, nameOf);
          const look = async (one: Member, index: number): Promise<string> => {
            const object = await cluster.get(refOf(one, nameOf(index)));
            if (object === undefined) return `${nameOf(index)} is gone`;
            const { uid, deletionTimestamp, ownerReferences = [] } = object.metadata;
            const which = uid === uids[index]?.first ? 'first' : 'second';
            const owners = ownerReferences.map(({ name }) => name).join();
            return `${nameOf(index)}: the ${which}${deletionTimestamp ? ', marked' : ''}, of ${owners}`;
          };
          looks.push(() => Promise.all(members.map(look)));
        }
        return async () => (await Promise.all(looks.map((look) => look()))).flat();
      }),
    );
    const [embedded, real] = views as [() => Promise<string[]>, () => Promise<string[]>];
    await waitFor({
      for: 'an embedded cluster at rest',
      look: () => pair().embedded.quiet(),
      holds: (quiet) => quiet,
    });
    const expected = await embedded();
    const differing = async () => (await real()).filter((line, index) => line !== expected[index]);
    await waitFor({
      for: `the real cluster's ${expected.filter((line) => line.endsWith('gone')).length} objects to go`,
      look: differing,
      holds: (lines) => lines.length === 0,
      timeoutMs: TIMEOUT_MS,
      intervalMs: 500,
    });
    await sleep(AFTERWARDS_MS);
    expect(await real()).toEqual(expected);
  });
});

function ownerOf(
  { apiVersion, kind, metadata: { name, uid = '' } }: KubeObject,
  naming: Naming,
): OwnerReference {
  const owner = { apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: true };
  if (naming === 'by another name') return { ...owner, name: `${name}-x` };
  return naming === 'a ghost' ? { ...owner, uid: randomUUID() } : owner;
}
