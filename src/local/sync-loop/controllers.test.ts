import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SlessError } from '../../errors.ts';
import { ALL_KINDS, KINDS } from '../../resources/kube/kinds.ts';
import { parseControllers } from './controllers.ts';

const kinds = Object.values(KINDS);
const HOOKS = 'hooks: { sync: { version: v2, webhook: { url: "https://operator:8443/sync/function" } } }';
const PARENT = 'parentResource: { apiVersion: sless.dev/v1alpha1, resource: functions }';
const composite = (...spec: readonly string[]) =>
  [
    'apiVersion: metacontroller.k8s.io/v1alpha1',
    'kind: CompositeController',
    'metadata: { name: c }',
    'spec:',
  ]
    .concat(spec.map((line) => `  ${line}`))
    .join('\n');

const refusal = (text: string): readonly string[] => {
  try {
    parseControllers([text], kinds);
  } catch (error) {
    if (error instanceof SlessError) return error.details;
    throw error;
  }
  return [];
};

test('controllers are read out of texts of many documents, other kinds are passed over', () => {
  const service = 'apiVersion: v1\nkind: Service\nmetadata: { name: s }';
  const text = [service, composite('generateSelector: true', PARENT, HOOKS), ''].join('\n---\n');
  const [controller, ...rest] = parseControllers([text], kinds);
  expect(rest).toEqual([]);
  expect(controller).toMatchObject({
    type: 'composite',
    name: 'c',
    parents: [{ kind: KINDS.Function, ignoreStatusChanges: false }],
    children: [],
    sync: { path: '/sync/function', timeoutMs: 10_000 },
  });
  expect(controller?.object).toMatchObject({ kind: 'CompositeController', spec: { generateSelector: true } });
});

test('children without a strategy are never updated', () => {
  const children =
    'childResources: [{ apiVersion: batch/v1, resource: jobs }, { apiVersion: v1, resource: services, updateStrategy: { method: InPlace } }]';
  const [controller] = parseControllers(
    [composite('generateSelector: true', PARENT, HOOKS, children)],
    kinds,
  );
  expect(controller?.children).toEqual([
    { kind: KINDS.Job, update: 'OnDelete' },
    { kind: KINDS.Service, update: 'InPlace' },
  ]);
});

test.each([
  ['1m30s', 90_000],
  ['500ms', 500],
  ['0s', 10_000],
])('a time limit of %s is %d ms', (timeout, timeoutMs) => {
  const hooks = `hooks: { sync: { version: v2, webhook: { timeout: ${timeout}, path: /x, service: { name: a, namespace: b } } } }`;
  const [controller] = parseControllers([composite('generateSelector: true', PARENT, hooks)], kinds);
  expect(controller?.sync).toEqual({ path: '/x', timeoutMs });
});

const hook = (more: string) => `hooks: { sync: { version: v2, webhook: { url: "http://o/x", ${more} } } }`;
const child = (more: string) => `childResources: [{ apiVersion: batch/v1, resource: jobs, ${more} }]`;

test.each([
  ['a selector of its own', [PARENT, HOOKS], 'generateSelector'],
  ['Recreate', [PARENT, HOOKS, child('updateStrategy: { method: Recreate }')], 'updateStrategy.method'],
  [
    'RollingInPlace',
    [PARENT, HOOKS, child('updateStrategy: { method: RollingInPlace }')],
    'updateStrategy.method',
  ],
  ['a finalize hook', [PARENT, HOOKS.replace('{ sync', '{ finalize: {}, sync')], 'finalize'],
  ['a hook of version v1', [PARENT, HOOKS.replace('version: v2, ', '')], 'spec.hooks.sync.version'],
  ['loose answers', [PARENT, hook('responseUnMarshallMode: loose')], 'responseUnMarshallMode'],
  ['ETags', [PARENT, hook('etag: { enabled: true }')], 'etag'],
  ['a time limit that is no duration', [PARENT, hook('timeout: 10')], 'timeout'],
  ['revisions', [PARENT.replace(' }', ', revisionHistory: {} }'), HOOKS], 'revisionHistory'],
  [
    'a parent that the cluster does not have',
    [PARENT.replace('functions', 'lambdas'), HOOKS],
    'no resource lambdas',
  ],
  [
    'a child that the cluster does not have',
    [PARENT, HOOKS, child('').replace('jobs', 'runs')],
    'no resource runs',
  ],
])('%s is refused by name', (_, spec, named) => {
  const selector = named === 'generateSelector' ? [] : ['generateSelector: true'];
  const details = refusal(composite(...selector, ...spec));
  expect(details).not.toEqual([]);
  expect(details.join('\n')).toContain(named);
});

test('the controllers that a cluster is given are ones that the loop can keep', () => {
  const folder = join(import.meta.dirname, '../../../metacontroller');
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const controllers = parseControllers(texts, ALL_KINDS);
  expect(controllers.map(({ parents }) => parents[0]?.kind)).toContain(KINDS.Function);
});
