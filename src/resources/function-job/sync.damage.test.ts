import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budget, timeLimit } from '../../../test/fuzz/budget.ts';
import { DAMAGES, damaged, fieldsOf } from '../../../test/hooks/damage.ts';
import { ask, edit, endPod, type JobWorld, jobWorld, settle } from '../../../test/hooks/job-world.ts';
import type { KubeObject } from '../kube/object.ts';

function at(state: 'new' | 'running' | 'over' | 'raised'): JobWorld {
  const of = jobWorld({ eventJSON: '{"a":1}' });
  if (state === 'new') return of;
  settle(of);
  if (state === 'over') endPod(of);
  if (state === 'raised') edit(of, { runID: 2 });
  if (state !== 'raised') settle(of);
  return of;
}

const WORLDS = [at('new'), at('running'), at('over'), at('raised')] as const;

type Hits = readonly (readonly [number, (typeof DAMAGES)[number]])[];

const hit = (object: KubeObject, damages: Hits): KubeObject =>
  damages.reduce((of, [field, damage]) => {
    const fields = fieldsOf(of);
    return fields.length === 0 ? of : damaged(of, fields[field % fields.length] ?? [], damage);
  }, object);

const hits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...DAMAGES)), { maxLength: 3 });

test(
  'whatever is damaged, the answer holds no null, and no child is dropped but for a higher run',
  () => {
    const parts = fc.record({ parent: hits, child: hits, fn: hits, which: fc.nat() });
    fc.assert(
      fc.property(fc.constantFrom(...WORLDS), parts, (world, { parent, child, fn, which }) => {
        const children = new Map(world.children);
        const id = [...children.keys()][which % Math.max(1, children.size)];
        const struck = id === undefined ? undefined : children.get(id);
        if (id !== undefined && struck !== undefined) children.set(id, hit(struck, child));
        const of: JobWorld = {
          ...world,
          children,
          parent: hit(world.parent, parent),
          fn: world.fn === undefined ? undefined : hit(world.fn, fn),
        };
        const answered = ask(of).children.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
        const { runID } = (of.parent.spec ?? {}) as { runID?: unknown };
        const mayDrop = runID === 2 || typeof runID === 'number' ? Number(runID) > 1 : false;
        if (mayDrop) return;
        for (const [key, { kind }] of world.children) if (kind === 'Job') expect(answered).toContain(key);
      }),
      budget(1500),
    );
  },
  timeLimit(60_000),
);
