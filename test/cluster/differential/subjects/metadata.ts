import fc from 'fast-check';
import type { Json } from '../step.ts';

/** A record of which each member may be missing. */
export const some = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Json> =>
  fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Json>;

/** One of these, each as likely. */
export const one = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Some of these, in any order. */
export const pick = <T>(...values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...values], { minLength: 0 });

const texts = one('1', '2', '');

/** Labels, annotations and the rest that an object's maker says of it. Mostly good. */
const metadata = some({
  labels: some({ a: texts, b: texts, chosen: one('yes') }),
  annotations: some({ note: one('x', 'y', ''), 'sless.dev/report': one('{"digest":"sha256:aa"}') }),
});
const rare = fc.oneof(
  { weight: 6, arbitrary: metadata },
  {
    weight: 1,
    arbitrary: one<Json>({}, { labels: {} }, { annotations: {} }, { finalizers: ['sless.dev/keep'] }),
  },
  {
    weight: 1,
    arbitrary: one<Json>({ labels: { a: 'not a value' } }, { annotations: { 'no key!': 'x' } }),
  },
);

/** A body with metadata beside what the kind itself has. */
export const withMetadata = (body: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.tuple(rare, body).map(([said, rest]) => ({ metadata: said, ...rest }));

/** The same for our own kinds, without maps that are empty: see the table of differences. */
export const withFilledMetadata = (body: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.tuple(rare, body).map(([said, rest]) => ({ metadata: withoutEmptyMaps(said), ...rest }));

const withoutEmptyMaps = (said: Json): Json =>
  Object.fromEntries(Object.entries(said).filter(([, value]) => Object.keys(value as object).length > 0));

const gone = one(null);
/** Merge patches of metadata, removals among them. */
export const metadataPatch: fc.Arbitrary<Json> = fc.oneof(
  some({ labels: some({ a: fc.oneof(texts, gone), chosen: one('yes', null) }) }),
  some({ annotations: some({ note: one('z', '', null) }) }),
  one<Json>({ labels: null }, { annotations: null }, { labels: {} }),
  one<Json>({ finalizers: ['sless.dev/keep'] }, { finalizers: null }, { finalizers: [] }),
  one<Json>(
    { uid: 'another' },
    { name: 'another' },
    { namespace: 'another' },
    { labels: { a: 'not a value' } },
  ),
  one<Json>({ creationTimestamp: null }, { generation: 7 }, { managedFields: null }, {}),
);

/** Merge patches of the metadata or of what the kind itself has. */
export const patchOf = (body: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 1, arbitrary: metadataPatch.map((metadata) => ({ metadata })) },
    { weight: 3, arbitrary: body },
  );
