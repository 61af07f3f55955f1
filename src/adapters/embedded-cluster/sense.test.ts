import { expect, test } from 'vitest';
import type { KubeObject } from '../../resources/kube/object.ts';
import { senseless } from './sense.ts';

const pod = (container: object = {}, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: {
    containers: [{ name: 'c', image: 'i', ...container }],
    volumes: [{ name: 'tmp', emptyDir: {} }],
    ...more,
  },
});
const probe = (handler: object) => pod({ readinessProbe: handler });
const env = (variable: object) => pod({ env: [{ name: 'A', ...variable }] });

test.each<[string, KubeObject, string[]]>([
  ['all that is needed', pod({ volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] }), []],
  ['no container', pod({}, { containers: [] }), ['spec.containers: is required']],
  ['no image', pod({ image: undefined }), ['spec.containers[0].image: is required']],
  [
    'two handlers',
    probe({ httpGet: { port: 1 }, tcpSocket: { port: 1 } }),
    [expect.stringContaining('only one of')],
  ],
  ['no handler', probe({ periodSeconds: 1 }), [expect.stringContaining('must have one of')]],
  ['a handler without a port', probe({ httpGet: { path: '/' } }), [expect.stringContaining('httpGet.port')]],
  ['a value and where it is from', env({ value: '1', valueFrom: { fieldRef: {} } }), [expect.any(String)]],
  ['a value from nowhere', env({ valueFrom: {} }), [expect.stringContaining('valueFrom')]],
  [
    'a volume that is mounted and gone',
    pod({ volumeMounts: [{ name: 'gone', mountPath: '/x' }] }),
    ['spec.containers[0].volumeMounts[0].name: there is no volume gone'],
  ],
])('a pod with %s', (_, object, mistakes) => {
  expect(senseless(object)).toEqual(mistakes);
});

test('a Deployment selects its own pods, and rolls or recreates them', () => {
  const deployment = (selected: object, strategy: object): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: selected },
      strategy,
      template: { metadata: { labels: { app: 'a', more: 'b' } }, spec: pod().spec },
    },
  });
  expect(senseless(deployment({ app: 'a' }, { type: 'Recreate' }))).toEqual([]);
  expect(senseless(deployment({ app: 'b' }, {}))).toEqual([
    expect.stringContaining('must match spec.selector'),
  ]);
  const both = { type: 'Recreate', rollingUpdate: { maxSurge: 1 } };
  expect(senseless(deployment({ app: 'a' }, both))).toEqual([
    'spec.strategy.rollingUpdate: must go with Recreate',
  ]);
});

test('kinds of our own are the business of their schemas', () => {
  expect(senseless({ apiVersion: 'sless.dev/v1alpha1', kind: 'Function', metadata: { name: 'f' } })).toEqual(
    [],
  );
});
