import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budget, timeLimit } from '../../../test/fuzz/budget.ts';
import { catchUp, type Lagging, lagging, remember, syncBehind } from '../../../test/hooks/lagging.ts';
import { deploy, failBuild, finishBuild, rollOut } from '../../../test/hooks/played.ts';
import { annotate, childOf, edit, key, kinds, statusOf, verdict, world } from '../../../test/hooks/world.ts';

const ALL = { Function: 99, Deployment: 99, Service: 99, Job: 99 };

test('a build that we dropped ourselves is not lost, though a cache still shows its Job', () => {
  const of = lagging(world({ s3Key: key(1) }));
  const want = (version: number): void => {
    edit(of.truth, { s3Key: key(version) });
    remember(of);
  };
  syncBehind(of, ALL);
  syncBehind(of, ALL);
  want(2);
  const jobsLag = { ...ALL, Job: 0 };
  for (let round = 0; round < 3; round += 1) syncBehind(of, jobsLag);
  const [first = '', second = ''] = of.truth.jobsMade;
  expect(of.truth.jobsMade).toEqual([first, second]);
  expect([...of.truth.children.keys()]).toEqual([`Job team/${second}`]);
  want(1);
  syncBehind(of, jobsLag);
  catchUp(of);
  expect(verdict(of.truth)).toBe('Building Building');
  expect(of.truth.jobsMade).toEqual([first, second, first]);
  expect(statusOf(of.truth).droppedJobs).toBeUndefined();
});

/** What happens to a Function, to its build, or to the caches: as data, so that a failure can be read. */
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      Function: fc.nat({ max: 3 }),
      Deployment: fc.nat({ max: 3 }),
      Service: fc.nat({ max: 3 }),
      Job: fc.nat({ max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      version: fc.constantFrom(1, 2, 3),
      rebuild: fc.option(fc.constantFrom('r1', 'r2', null), { nil: undefined, freq: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom('finish', 'fail', 'roll out') },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const has = (of: Lagging['truth'], kind: string): boolean => childOf(of, kind) !== undefined;

function happen(of: Lagging, what: Happening): void {
  const { truth } = of;
  if (typeof what === 'object' && 'Job' in what) {
    syncBehind(of, what);
  } else if (typeof what === 'object') {
    edit(truth, { s3Key: key(what.version) });
    if (what.rebuild !== undefined) annotate(truth, { 'sless.dev/rebuild': what.rebuild });
  } else if (what === 'roll out') {
    if (has(truth, 'Deployment')) rollOut(truth);
  } else if (has(truth, 'Job')) {
    (what === 'finish' ? finishBuild : failBuild)(truth);
  }
  remember(of);
}

test(
  'however the caches lag, nothing that serves goes, no build is called lost, and the wanted code comes',
  () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(happening, { minLength: 4, maxLength: 40 }),
        (isDeployed, happenings) => {
          const start = world();
          if (isDeployed) deploy(start, 1);
          const of = lagging(start);
          const { truth } = of;
          let served = isDeployed;
          for (const what of happenings) {
            happen(of, what);
            expect(has(truth, 'Deployment') || !served).toBe(true);
            served = has(truth, 'Deployment');
            expect(JSON.stringify(truth.parent.status ?? {})).not.toContain('BuildLost');
          }
          catchUp(of);
          expect(kinds(truth).filter((kind) => kind === 'Job').length).toBeLessThanOrEqual(1);
          const { phase, build } = statusOf(truth);
          if (phase === 'Failed') expect(build?.reason).toBe('BuildFailed');
          if (phase !== 'Building') return;
          finishBuild(truth);
          catchUp(of);
          expect(statusOf(truth).builtKey).toBe((truth.parent.spec as { s3Key: string }).s3Key);
        },
      ),
      budget(400),
    );
  },
  timeLimit(60_000),
);
