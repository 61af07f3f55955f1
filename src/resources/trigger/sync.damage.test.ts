import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budget, timeLimit } from '../../../test/fuzz/budget.ts';
import { DAMAGES, damaged, fieldsOf } from '../../../test/hooks/damage.ts';
import { expectCanonical } from '../../../test/hooks/loop.ts';
import { freeze, SETTINGS } from '../../../test/hooks/settings.ts';
import { START, trigger, world } from '../../../test/hooks/world.ts';
import { type SyncRequest, syncResponseSchema } from '../kube/hook.ts';
import { groupKey, KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { syncTrigger } from './sync.ts';

const owned = (name: string, spec: object): KubeObject => {
  const of = trigger(name, { ...spec });
  return { ...of, metadata: { ...of.metadata, uid: 'uid-t' } };
};
const PARENTS = [
  owned('nightly', { type: 'cron', schedule: '@daily', timeZone: 'Europe/Berlin', payload: '{"a":1}' }),
  owned('orders', { type: 'event', queue: 'incoming', deadLetterQueue: 'dead', brokerSecret: 'fn-b' }),
  owned('web', {}),
];

function request(parent: KubeObject, children: readonly KubeObject[], fn: KubeObject): SyncRequest {
  const group = (kind: string) =>
    Object.fromEntries(
      children.filter((of) => of.kind === kind).map((of) => [`team/${of.metadata.name}`, of]),
    );
  const labels = { 'sless.dev/tenant': 'true' };
  return {
    parent,
    children: {
      [groupKey(KINDS.CronJob)]: group('CronJob'),
      [groupKey(KINDS.ConfigMap)]: group('ConfigMap'),
    },
    related: {
      [groupKey(KINDS.Namespace)]: {
        team: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels } },
      },
      [groupKey(KINDS.Function)]: { 'team/hello': fn },
    },
    finalizing: false,
  };
}

function ask(of: SyncRequest) {
  const answer = syncTrigger(freeze(structuredClone(of)), SETTINGS.triggers, START);
  syncResponseSchema.parse(answer);
  expectCanonical(answer);
  return answer;
}

/** A child as it is stored, with what its dispatcher says. */
function stored(child: KubeObject): KubeObject {
  const { apiVersion, kind } = KINDS.Trigger;
  const state = JSON.stringify({ connected: true, since: '2026-01-02T03:04:05Z' });
  return {
    ...child,
    metadata: {
      ...child.metadata,
      uid: `uid-${child.metadata.name}`,
      annotations: { 'sless.dev/consumer-state': state },
      ownerReferences: [{ apiVersion, kind, name: 'owner', uid: 'uid-t', controller: true }],
    },
  };
}

type Hits = readonly (readonly [number, (typeof DAMAGES)[number]])[];
const hit = (object: KubeObject, damages: Hits): KubeObject =>
  damages.reduce((of, [field, damage]) => {
    const fields = fieldsOf(of);
    return fields.length === 0 ? of : damaged(of, fields[field % fields.length] ?? [], damage);
  }, object);

test(
  'whatever is damaged, the answer is one, and a spec that cannot be used keeps every child',
  () => {
    const hits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...DAMAGES)), { maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...PARENTS), hits, hits, hits, (good, ofParent, ofChild, ofFunction) => {
        const fn = world().parent;
        const children = ask(request(good, [], fn))
          .children.map(stored)
          .map((child) => hit(child, ofChild));
        const answer = ask(request(hit(good, ofParent), children, hit(fn, ofFunction)));
        const conditions = (answer.status as { conditions: { type: string; reason: string }[] }).conditions;
        if (!conditions.some(({ reason }) => reason === 'InvalidSpec')) return;
        expect(answer.children.map(({ metadata }) => metadata.name).sort()).toEqual(
          children.map(({ metadata }) => metadata.name).sort(),
        );
      }),
      budget(500),
    );
  },
  timeLimit(60_000),
);
