import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budget, timeLimit } from '../../../test/fuzz/budget.ts';
import {
  ask,
  beginPods,
  decorate,
  drop,
  edit,
  endPod,
  type JobWorld,
  jobWorld,
  passTime,
  running,
  settle,
  statusOf,
  sync,
  wipeStatus,
} from '../../../test/hooks/job-world.ts';

type Happening = (of: JobWorld) => void;

/** Caches that lag, each by itself: by no more than a run takes from its event to its pod. */
const lag = fc.record({
  parent: fc.integer({ min: 0, max: 2 }),
  jobs: fc.integer({ min: 0, max: 2 }),
  events: fc.integer({ min: 0, max: 2 }),
});

function deleteJob(of: JobWorld): void {
  const id = [...of.children.keys()].find((key) => key.startsWith('Job'));
  if (id !== undefined) drop(of, id);
}

const lagging = lag.map(
  (behind): Happening =>
    (of) =>
      void sync(of, { lag: behind }),
);
const killed = lag.map(
  (behind): Happening =>
    (of) =>
      void sync(of, { lag: behind, killed: true }),
);
const fresh = fc.constant<Happening>((of) => void sync(of));
const begins = fc.constant<Happening>(beginPods);
const deletes = fc.constant<Happening>(deleteJob);
const decorates = fc.constant<Happening>(decorate);
const wipes = fc.constant<Happening>(wipeStatus);
const elapses = fc.constantFrom(500, 5000, 61_000).map(
  (elapsed): Happening =>
    (of) =>
      passTime(of, elapsed),
);
const edits = fc
  .constantFrom(
    { runID: 0 },
    { runID: 1 },
    { runID: 2 },
    { runID: 3 },
    { eventJSON: '{' },
    { eventJSON: '{}' },
  )
  .map(
    (spec): Happening =>
      (of) =>
        edit(of, spec),
  );
const FAILED = {
  failed: 'BackoffLimitExceeded',
  report: { reason: 'FunctionError', message: 'x', exitCode: 1 },
};
const ends = fc.constantFrom({}, FAILED).map(
  (ending): Happening =>
    (of) =>
      endPod(of, ending),
);

/** Of everything now and then; of little, often enough that the rare orders come up. */
const STORIES: Readonly<Record<string, fc.Arbitrary<Happening>>> = {
  everything: fc.oneof(
    lagging,
    killed,
    fresh,
    fresh,
    begins,
    begins,
    decorates,
    ends,
    elapses,
    deletes,
    edits,
  ),
  'kills and deletions': fc.oneof(lagging, killed, fresh, begins, deletes),
  'raised runs': fc.oneof(fresh, fresh, fresh, begins, elapses, edits),
};

const counts = (of: JobWorld): number[] =>
  [...new Set(of.begun)].map((run) => of.begun.filter((id) => id === run).length);

test.each(Object.entries(STORIES))(
  'a run begins at most once, and never beside another: %s',
  (_, happening) => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30, size: 'max' }), (happenings) => {
        const of = jobWorld();
        for (const happen of happenings) {
          happen(of);
          expect(running(of).length).toBeLessThanOrEqual(1);
        }
        settle(of);
        expect(counts(of).every((count) => count === 1)).toBe(true);
        expect(of.begun).toEqual([...of.begun].sort());
      }),
      budget(300),
    );
  },
  120_000,
);

test.each<[string, Happening[]]>([
  ['its Job was taken away', [deleteJob, (of) => edit(of, { runID: 2 })]],
  [
    'it was being replaced, and that was taken back for a moment',
    [
      (of) => edit(of, { runID: 2 }),
      (of) => void sync(of),
      (of) => void sync(of),
      (of) => edit(of, { runID: 1 }),
      (of) => void sync(of),
      (of) => edit(of, { runID: 2 }),
    ],
  ],
])('a run does not begin beside the pods of the one before: %s', (_, happenings) => {
  const of = jobWorld();
  settle(of);
  expect(running(of)).toEqual([1]);
  for (const happen of happenings) happen(of);
  for (let round = 0; round < 5; round += 1) {
    sync(of);
    beginPods(of);
    expect(running(of)).toEqual([1]);
  }
  settle(of);
  expect(running(of)).toEqual([2]);
});

test(
  'a status that is lost at any time lets nothing run twice',
  () => {
    const happening = fc.oneof(fresh, fresh, begins, decorates, ends, deletes, wipes);
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30, size: 'max' }), (happenings) => {
        const of = jobWorld();
        for (const happen of happenings) happen(of);
        settle(of);
        expect(of.begun.length).toBeLessThanOrEqual(1);
      }),
      budget(300),
    );
  },
  timeLimit(120_000),
);

test('killed after each single step, a run still comes to its end, once', () => {
  const steps: Happening[] = [
    (of) => void sync(of),
    (of) => void sync(of),
    (of) => void sync(of),
    beginPods,
    (of) => void sync(of),
    (of) => endPod(of),
    (of) => void sync(of),
    decorate,
    (of) => void sync(of),
  ];
  for (let at = 0; at <= steps.length; at += 1) {
    const of = jobWorld();
    for (const step of steps.slice(0, at)) step(of);
    // Children were changed, the status was not written; then a new start, with fresh caches.
    sync(of, { killed: true });
    settle(of);
    endPod(of);
    settle(of);
    expect(statusOf(of), `killed after step ${at}`).toMatchObject({
      phase: 'Succeeded',
      result: '{"ok":true}',
    });
    expect(of.begun).toEqual([1]);
  }
});

test('what is at rest is answered byte for byte, however often', () => {
  const of = jobWorld();
  settle(of);
  endPod(of);
  settle(of);
  const before = JSON.stringify(ask(of));
  passTime(of, 3_600_000);
  expect(JSON.stringify(ask(of))).toBe(before);
});
