import fc from 'fast-check';
import { KINDS } from '../../../../src/resources/kube/kinds.ts';
import type { Json, Subject } from '../step.ts';
import { one, patchOf, pick, some, withFilledMetadata } from './metadata.ts';

const specOf = (fields: fc.Arbitrary<Json>): fc.Arbitrary<Json> => fields.map((spec) => ({ spec }));
const condition = (type: string) =>
  one<Json>(
    { type, status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-02T03:04:05Z' },
    { type, status: 'False', reason: 'Building', message: 'x', lastTransitionTime: '2026-01-02T03:04:06Z' },
  );
const conditions = fc.tuple(condition('Ready'), condition('Built')).chain((all) => pick(...all));

const env = fc.oneof(
  { weight: 4, arbitrary: some({ A: one('1', '2', ''), B: one('1', '2'), C: one('3') }) },
  { weight: 1, arbitrary: one<Json | null>({ PORT: '1' }, { A: null }, null, {}) },
);
const amounts = some({ cpu: one('0.5', '500m', '1'), memory: one('64Mi', '1024Mi') });
const functionFields = {
  env,
  entrypoint: one('handler.handle', 'pkg/mod.fn'),
  secrets: pick('fn-a', 'fn-b', 'fn-c'),
  replicas: one<number | null | string>(0, 1, 2, null, -1, 'two'),
  resources: some({ requests: amounts, limits: one<Json>({ cpu: '1', memory: '1Gi' }, {}) }),
  timeoutSeconds: one(60, 3600),
  s3Key: one('contexts/team/hello/v1.tar.gz', 'contexts/team/hello/v2.tar.gz'),
  build: one('auto', 'append', 'magic'),
  replcas: one(3),
};

export const FUNCTION: Subject = {
  kind: KINDS.Function,
  whole: withFilledMetadata(
    specOf(
      fc
        .tuple(one('python3.11', 'nodejs20'), some(functionFields))
        .map(([runtime, more]) => ({ runtime, ...more })),
    ),
  ),
  partial: withFilledMetadata(fc.oneof(specOf(some(functionFields)), one<Json>({}))),
  patch: patchOf(
    fc.oneof(
      specOf(some(functionFields)),
      one<Json>(
        { spec: { env: { A: null, D: '4' } } },
        { spec: { runtime: null } },
        { spec: { resources: null } },
        { spec: { resources: { limits: { cpu: null } } } },
        { spec: { secrets: null, s3Key: null } },
        { status: { phase: 'Ready' } },
        { spec: null },
      ),
    ),
  ),
  status: fc.oneof(
    some({
      phase: one('Pending', 'Ready', 'Happy'),
      message: one('', 'x'),
      observedGeneration: one(1, 2),
      build: one<Json>({ key: 'k', job: 'j' }, { key: 'k' }),
      history: one<Json[]>([], [{ key: 'k', image: 'i', runtimeImage: 'r', builtAt: 't' }]),
      conditions,
      unknown: one('pruned'),
    }),
    one<Json>({}, { phase: null }),
  ),
};

const triggerFields = {
  enabled: one<unknown>(true, false, null, 'yes'),
  functionRef: one('hello', 'other'),
  schedule: one('* * * * *', '0 0 * * *', ''),
  payload: one('{}', ''),
};

export const TRIGGER: Subject = {
  kind: KINDS.Trigger,
  whole: withFilledMetadata(
    specOf(
      fc.oneof(
        some({ enabled: triggerFields.enabled }).map((more) => ({
          type: 'http',
          functionRef: 'hello',
          ...more,
        })),
        some(triggerFields).map((more) => ({
          type: 'cron',
          functionRef: 'hello',
          schedule: '1 * * * *',
          ...more,
        })),
        one<Json>(
          { type: 'event', functionRef: 'hello', queue: 'q', prefetch: 5 },
          { type: 'event', functionRef: 'hello' },
        ),
      ),
    ),
  ),
  partial: withFilledMetadata(fc.oneof(specOf(some(triggerFields)), one<Json>({}))),
  patch: patchOf(
    fc.oneof(
      specOf(some(triggerFields)),
      one<Json>(
        { spec: { type: 'http' } },
        { spec: { type: 'cron', schedule: '* * * * *', queue: null, prefetch: null } },
        { spec: { schedule: null } },
      ),
    ),
  ),
  status: fc.oneof(
    some({
      active: one<unknown>(true, false, 'yes'),
      message: one('active'),
      url: one('https://a/fn/x/y'),
      conditions,
    }),
    one<Json>({}),
  ),
};

const jobFields = {
  runID: one<unknown>(0, 1, 2, -1),
  eventJSON: one('{}', ''),
  retries: one(0, 3, 11),
  timeoutSeconds: one(1, 600),
  ttlSecondsAfterFinished: one<unknown>(0, null),
};

export const FUNCTION_JOB: Subject = {
  kind: KINDS.FunctionJob,
  whole: withFilledMetadata(specOf(some(jobFields).map((more) => ({ functionRef: 'hello', ...more })))),
  partial: withFilledMetadata(fc.oneof(specOf(some(jobFields)), one<Json>({}))),
  patch: patchOf(
    fc.oneof(
      specOf(some(jobFields)),
      one<Json>({ spec: { functionRef: 'other' } }, { spec: { eventJSON: null } }),
    ),
  ),
  status: fc.oneof(
    some({
      phase: one('Running', 'Succeeded'),
      runID: one(1, 2),
      result: one('', 'x'),
      attempts: one(1),
      conditions,
    }),
    one<Json>({}),
  ),
};
