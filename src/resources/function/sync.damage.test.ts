import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budget, timeLimit } from '../../../test/fuzz/budget.ts';
import { DAMAGES, damaged, fieldsOf } from '../../../test/hooks/damage.ts';
import { ask, settle } from '../../../test/hooks/loop.ts';
import { deploy, failBuild, finishBuild } from '../../../test/hooks/played.ts';
import { annotate, childOf, edit, idOf, key, verdict, type World, world } from '../../../test/hooks/world.ts';

/** A function that serves, with a second build in one of its states. */
function serving(build: 'running' | 'failed' | 'complete'): World {
  const of = world({ env: { A: 'b' }, secrets: ['fn-a'] });
  deploy(of, 1);
  annotate(of, { 'sless.dev/restart': 'r' });
  edit(of, { s3Key: key(2) });
  settle(of);
  if (build === 'failed') failBuild(of);
  if (build === 'complete') finishBuild(of);
  return of;
}

test('a Deployment whose variables were altered is answered as it is while the spec is refused', () => {
  for (const value of ['abc', '', '-1', '0', '1.5', '99999', ' 60']) {
    const of = world();
    deploy(of, 1);
    const deployment = childOf(of, 'Deployment');
    const text = JSON.stringify(deployment);
    const altered = JSON.parse(
      text.replace(
        '{"name":"SLESS_TIMEOUT_SECONDS","value":"60"}',
        JSON.stringify({ name: 'SLESS_TIMEOUT_SECONDS', value }),
      ),
    );
    of.children.set(idOf(altered), altered);
    edit(of, { replicas: -1 });
    settle(of);
    expect(childOf(of, 'Deployment')?.spec).toEqual(altered.spec);
    expect(verdict(of)).toBe('Failed InvalidSpec');

    edit(of, { replicas: 2 });
    settle(of);
    expect(JSON.stringify(childOf(of, 'Deployment'))).toContain('"SLESS_TIMEOUT_SECONDS","value":"60"');
  }
});

const WORLDS = { running: serving('running'), failed: serving('failed'), complete: serving('complete') };

test(
  'whatever is damaged of the children, the answer holds no null and keeps what serves',
  () => {
    const states = fc.constantFrom('running' as const, 'failed' as const, 'complete' as const);
    const changes = fc.constantFrom<Record<string, unknown>>(
      {},
      { replicas: -1 },
      { s3Key: key(1) },
      { s3Key: undefined },
    );
    const hits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...DAMAGES)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(states, changes, fc.nat(), hits, (state, change, which, damages) => {
        const of = { ...WORLDS[state], children: new Map(WORLDS[state].children) };
        edit(of, change);
        const child = [...of.children.values()][which % of.children.size];
        if (child === undefined) throw new Error('there are no children');
        const hit = damages.reduce((object, [field, damage]) => {
          const fields = fieldsOf(object);
          return damaged(object, fields[field % fields.length] ?? [], damage);
        }, child);
        of.children.set(idOf(child), hit);
        const { children } = ask(of);
        expect(children.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Deployment', 'Service']));
      }),
      budget(1000),
    );
  },
  timeLimit(60_000),
);
