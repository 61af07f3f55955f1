import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budget, timeLimit } from '../../../test/fuzz/budget.ts';
import { ask, settle } from '../../../test/hooks/loop.ts';
import { deploy, failBuild, finishBuild, rollOut } from '../../../test/hooks/played.ts';
import { annotate, edit, key, trigger, type World, world } from '../../../test/hooks/world.ts';
import { admitObject, validateObject } from '../validate.ts';

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
  fc.constantFrom('constructor', 'toString', 'hasOwnProperty'),
);
const text = fc.string({ unit: 'binary', maxLength: 12 });
const value = fc.oneof(text, fc.constantFrom('', '$', '$$', '$(HOME)', '$$(A)', '$(', 'a$', '\n', '😀'));
const amount = (suffixes: readonly string[]) =>
  fc
    .tuple(fc.integer({ min: 1, max: 4096 }), fc.constantFrom('', '.5', '.25'), fc.constantFrom(...suffixes))
    .map((parts) => parts.join(''));
const amounts = fc.record(
  { cpu: amount(['', 'm', 'k']), memory: amount(['', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi']) },
  { requiredKeys: [] },
);

/** Specs of which most are good; what the rules refuse is left out below. */
const spec = fc.record(
  {
    runtime: fc.constantFrom('python3.11', 'nodejs20', 'cobol'),
    entrypoint: fc.constantFrom('handler.handle', 'a/b.c', 'x.y.z'),
    env: fc.dictionary(name, value, { maxKeys: 5 }),
    secrets: fc.uniqueArray(fc.constantFrom('fn-a', 'fn-b', 'fn-c.d'), { maxLength: 3 }),
    replicas: fc.integer({ min: 0, max: 3 }),
    resources: fc.record({ requests: amounts, limits: amounts }, { requiredKeys: [] }),
    timeoutSeconds: fc.integer({ min: 1, max: 3600 }),
    concurrency: fc.integer({ min: 1, max: 1000 }),
    s3Key: fc.oneof(fc.constantFrom(key(1), key(2), 'contexts/other/x/y', '..'), text),
    s3Bucket: fc.constantFrom('sless', 'other'),
    build: fc.constantFrom('auto', 'append', 'dockerfile'),
    buildTimeoutSeconds: fc.integer({ min: 30, max: 3600 }),
    unknown: fc.anything(),
  },
  { requiredKeys: ['runtime'] },
);

const status = fc.oneof(
  fc.constant(undefined),
  fc.object(),
  fc.record(
    {
      image: text,
      builtKey: fc.constantFrom(key(1), key(2)),
      runtimeImage: fc.constantFrom('r/sless-runtime-python3.11:v1.0.0', 'r/other:v1'),
      build: fc.record({ key: fc.constantFrom(key(1), key(2)), job: text }),
      history: fc.array(fc.record({ key: text, image: text, runtimeImage: text, builtAt: text }), {
        maxLength: 12,
      }),
      conditions: fc.array(fc.record({ type: text, status: fc.constantFrom('True', 'False') })),
    },
    { requiredKeys: [] },
  ),
);

const metadata = { name: 'hello', namespace: 'team' };
const isAdmitted = (candidate: unknown): boolean =>
  validateObject('Function', { metadata, spec: candidate }).length === 0;

function stored(candidate: object): Record<string, unknown> {
  const parent = { apiVersion: 'sless.dev/v1alpha1', kind: 'Function', metadata, spec: candidate };
  return admitObject(parent).object.spec as Record<string, unknown>;
}

/** One of the things that happen to a Function, or to its children. */
type Happening = (of: World) => void;
const happening: fc.Arbitrary<Happening> = fc.oneof(
  spec.filter(isAdmitted).map(
    (next): Happening =>
      (of) =>
        edit(of, stored(next)),
  ),
  fc.constantFrom(1, 2, 3).map(
    (version): Happening =>
      (of) =>
        edit(of, { s3Key: key(version) }),
  ),
  fc.constant<Happening>(
    (of) => [...of.children.keys()].some((id) => id.startsWith('Job')) && finishBuild(of),
  ),
  fc.constant<Happening>((of) => [...of.children.keys()].some((id) => id.startsWith('Job')) && failBuild(of)),
  fc.constant<Happening>(
    (of) => [...of.children.keys()].some((id) => id.startsWith('Deployment')) && rollOut(of),
  ),
  fc.boolean().map(
    (enabled): Happening =>
      (of) => {
        of.triggers = [trigger('a', { enabled })];
      },
  ),
  fc.constantFrom('r1', 'r2').map(
    (rebuild): Happening =>
      (of) =>
        annotate(of, { 'sless.dev/rebuild': rebuild }),
  ),
  status.map(
    (next): Happening =>
      (of) => {
        of.parent = { ...of.parent, status: next };
      },
  ),
  fc.integer({ min: 0, max: 120_000 }).map(
    (elapsed): Happening =>
      (of) => {
        of.now += elapsed;
      },
  ),
);

test(
  'whatever is admitted and whatever happens, sync answers canonically, comes to rest, and never drops what serves',
  () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 12 }), (happenings) => {
        const of = world();
        deploy(of, 1);
        for (const happen of happenings) {
          happen(of);
          settle(of);
          expect([...of.children.keys()].filter((id) => !id.startsWith('Job'))).toHaveLength(2);
        }
      }),
      budget(150),
    );
  },
  timeLimit(60_000),
);

test('the same request gives the same bytes', () => {
  fc.assert(
    fc.property(spec.filter(isAdmitted), status, (next, wasStatus) => {
      const of = world(stored(next));
      of.parent = { ...of.parent, status: wasStatus };
      expect(JSON.stringify(ask(of))).toBe(JSON.stringify(ask(of)));
    }),
    budget(300),
  );
});

test(
  'wanted children, fed back as observed, are wanted again byte for byte',
  () => {
    fc.assert(
      fc.property(spec.filter(isAdmitted), (next) => {
        const of = world({
          ...stored(next),
          runtime: 'python3.11',
          s3Key: key(1),
          s3Bucket: 'sless',
          timeoutSeconds: 60,
        });
        settle(of);
        finishBuild(of);
        settle(of);
        rollOut(of);
        settle(of);
        const wanted = JSON.stringify(ask(of).children);
        expect(of.children.size).toBe(2);
        const writes = of.writes;
        settle(of);
        expect(of.writes).toBe(writes);
        // And the same after the spec turned bad, when all that is known of them is what is observed.
        edit(of, { replicas: -1 });
        expect(JSON.stringify(ask(of).children)).toBe(wanted);
      }),
      budget(200),
    );
  },
  timeLimit(60_000),
);
