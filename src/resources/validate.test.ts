import { describe, expect, test } from 'vitest';
import type { Row } from '../../test/objects/row.ts';
import { ROWS } from '../../test/objects/rows.ts';
import { KINDS } from './kube/kinds.ts';
import type { KubeObject } from './kube/object.ts';
import { admitObject, validateObject } from './validate.ts';

const object = (row: Row, spec: unknown): KubeObject => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: row.kind,
  metadata: { name: row.name, namespace: 'team' },
  ...(spec === undefined ? {} : { spec }),
});

describe('each object, at each of its bounds, is taken or refused by the field', () => {
  test.each(ROWS.map((row) => [`${row.kind}: ${row.title}`, row] as const))('%s', (_, row) => {
    const previous = row.previous === undefined ? undefined : object(row, row.previous);
    const errors = validateObject(row.kind, object(row, row.spec), previous);
    if (row.wrong === undefined) expect(errors).toEqual([]);
    else expect(errors.join('\n')).toContain(row.wrong);
    expect(admitObject(object(row, row.spec), previous).errors).toEqual(errors);
  });
});

test('what is admitted has its defaults, without unknown fields, and the input is left alone', () => {
  const input: KubeObject = Object.freeze({
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'hello', namespace: 'team' },
    spec: Object.freeze({ runtime: 'python3.11', env: null, unknown: 1 }),
  });
  const { object: admitted, errors } = admitObject(input);
  expect(errors).toEqual([]);
  expect(admitted.spec).toEqual({
    runtime: 'python3.11',
    env: {},
    secrets: [],
    replicas: 1,
    timeoutSeconds: 60,
    concurrency: 100,
    build: 'auto',
    buildTimeoutSeconds: 300,
  });
});

test('a status that does not fit the schema is refused', () => {
  const parent = {
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'a' },
    spec: { runtime: 'x' },
  };
  expect(admitObject({ ...parent, status: { phase: 'Happy' } }).errors.join()).toContain('status.phase');
});

test('objects of other kinds have nothing wrong', () => {
  expect(validateObject(KINDS.Pod.kind, { spec: 'anything' })).toEqual([]);
});
