import { describe, expect, test } from 'vitest';
import { asObserved } from './kept.ts';
import { appliedByController, ownedPart } from './managed-fields.ts';
import type { KubeObject } from './object.ts';

const OWNER = { apiVersion: 'sless.dev/v1alpha1', kind: 'Function', name: 'f', uid: 'u-1', controller: true };
const OWNED_BY = { 'f:ownerReferences': { 'k:{"uid":"u-1"}': {} } };

/** A Service as the API server keeps it: one port and a label are ours, the rest is its defaults' and a person's. */
const service: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'f',
    namespace: 'n',
    labels: { ours: 'yes', made: 'by-hand' },
    ownerReferences: [OWNER],
    managedFields: [
      entry('metacontroller', 'Apply', {
        'f:metadata': { ...OWNED_BY, 'f:labels': { 'f:ours': {} } },
        'f:spec': {
          'f:ports': { 'k:{"port":8080,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:name': {} } },
          'f:selector': {},
        },
      }),
      entry('kubectl-edit', 'Update', {
        'f:metadata': { 'f:labels': { 'f:made': {} } },
        'f:spec': { 'f:ports': { 'k:{"port":6379,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
      }),
    ],
  },
  spec: {
    type: 'ClusterIP',
    selector: { app: 'f' },
    ports: [
      { port: 6379, protocol: 'TCP' },
      { name: 'http', port: 8080, protocol: 'TCP', targetPort: 8080 },
    ],
  },
};

function entry(manager: string, operation: string, fieldsV1: object) {
  return { manager, operation, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
}

const managed = (managedFields: readonly unknown[]): KubeObject => ({
  ...service,
  metadata: { ...service.metadata, managedFields },
});

test('of a child under server-side apply only what the controller applied is answered again', () => {
  expect(asObserved(service)).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'f', namespace: 'n', labels: { ours: 'yes' } },
    spec: { selector: { app: 'f' }, ports: [{ name: 'http', port: 8080 }] },
  });
});

test('a child that no controller applied is answered whole', () => {
  const [, byHand] = service.metadata.managedFields ?? [];
  expect(asObserved(managed([byHand]))).toMatchObject({ spec: service.spec });
  expect(asObserved(managed([]))).toMatchObject({ metadata: { labels: { made: 'by-hand' } } });
});

describe('the manager is told by the owner reference that it applied', () => {
  const fields = { 'f:metadata': OWNED_BY };
  test('whatever it is called', () => {
    expect(appliedByController(managed([entry('mc-2', 'Apply', fields)]))).toEqual(fields);
  });
  test.each([
    ['an update', entry('metacontroller', 'Update', fields)],
    ['a status', { ...entry('metacontroller', 'Apply', fields), subresource: 'status' }],
    [
      'the reference to another owner',
      entry('m', 'Apply', { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u-2"}': {} } } }),
    ],
    ['what is no entry', 'metacontroller'],
    ['an entry without fields', { manager: 'metacontroller', operation: 'Apply' }],
  ])('not by %s', (_, other) => {
    expect(appliedByController(managed([other]))).toBeUndefined();
  });
});

test.each([
  ['a scalar', 3, {}, 3],
  ['an atomic list', [1, 2], {}, [1, 2]],
  ['an empty map that was applied', {}, {}, {}],
  ['a map of which only the map itself was applied', { a: 1 }, { '.': {} }, {}],
  ['a set', ['a', 'b'], { '.': {}, 'v:"b"': {} }, ['b']],
  ['a list whose keys are not JSON', [{ name: 'a' }], { 'k:{': {} }, []],
  ['a name that every object inherits', { a: 1 }, { 'f:a': {}, 'f:constructor': {} }, { a: 1 }],
])('of %s its part', (_, value, fields, part) => {
  expect(ownedPart(value, fields)).toEqual(part);
});
