import { describe, expect, test } from 'vitest';
import { expectCanonical } from '../../../test/hooks/loop.ts';
import { dynamicMerge } from '../../../test/hooks/merge.ts';
import { freeze, TENANT_SETTINGS } from '../../../test/hooks/settings.ts';
import { type Connection, type End, isAllowed } from '../../../test/tenants/reach.ts';
import { decorateResponseSchema } from '../kube/hook.ts';
import { groupKey } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { decorateNamespace, TENANT_DECORATOR_KINDS } from './decorate.ts';
import type { TenantSettings } from './settings.ts';

const namespace = (labels: Record<string, string> = { 'sless.dev/tenant': 'true' }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team', uid: 'u', labels },
});

function attached(settings: TenantSettings = TENANT_SETTINGS, object = namespace()): readonly KubeObject[] {
  const request = freeze({ object, attachments: {}, related: {}, finalizing: false });
  const answer = decorateNamespace(request, settings);
  decorateResponseSchema.parse(answer);
  expectCanonical(answer);
  return answer.attachments;
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind.toLowerCase()}-${metadata.name}`;
const find = (kind: string, settings?: TenantSettings) =>
  attached(settings).find((object) => object.kind === kind);

test.each(attached().map((object) => [nameOf(object), object] as const))(
  '%s is made as before',
  async (name, object) => {
    await expect(`${JSON.stringify(object, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.golden.json`);
  },
);

test('all of it lies in that namespace, is of kinds that the controller declares, and merges with itself into itself', () => {
  const declared = TENANT_DECORATOR_KINDS.children.map(groupKey);
  for (const object of attached()) {
    expect(object.metadata.namespace).toBe('team');
    expect(declared).toContain(groupKey(object));
    expect(dynamicMerge(object, object, object)).toEqual(object);
  }
});

test('a namespace that lies still is looked at again: new settings are no event that would wake it', () => {
  const request = freeze({ object: namespace(), attachments: {}, related: {}, finalizing: false });
  expect(decorateNamespace(request, TENANT_SETTINGS).resyncAfterSeconds).toBe(600);
});

test('a namespace without the label receives nothing', () => {
  for (const labels of [{}, { 'sless.dev/tenant': 'false' }, { 'sless.dev/tenant': '' }])
    expect(attached(TENANT_SETTINGS, namespace(labels))).toEqual([]);
});

test('what is not configured is not there', () => {
  const { pullSecret: _, ...rest } = TENANT_SETTINGS;
  const bare = {
    ...rest,
    copiesSecrets: false,
    quota: {},
    containers: { requests: {}, limits: {}, max: {} },
  };
  expect(attached(bare).map(nameOf)).toEqual([
    'serviceaccount-sless-builder',
    'networkpolicy-sless-functions',
    'networkpolicy-sless-builds',
    'rolebinding-sless-api-in-tenants',
    'rolebinding-sless-dispatcher-in-tenants',
  ]);
  expect(find('ServiceAccount', bare)).not.toHaveProperty('imagePullSecrets');
});

describe('a LimitRange as the API server completes it', () => {
  const limits = (containers: TenantSettings['containers']) =>
    (find('LimitRange', { ...TENANT_SETTINGS, containers }) as unknown as { spec: { limits: object[] } }).spec
      .limits[0];

  test('a maximum is a default, and a default is a request, where nothing else is said', () => {
    expect(limits({ requests: {}, limits: { cpu: '2000m' }, max: { memory: '1024Mi' } })).toEqual({
      default: { cpu: '2', memory: '1Gi' },
      defaultRequest: { cpu: '2', memory: '1Gi' },
      max: { memory: '1Gi' },
      type: 'Container',
    });
  });

  test('a default above the maximum gives way', () => {
    const given = { requests: { memory: '1Gi' }, limits: { memory: '2Gi' }, max: { memory: '512Mi' } };
    expect(limits(given)).toEqual({
      default: { memory: '512Mi' },
      defaultRequest: { memory: '512Mi' },
      max: { memory: '512Mi' },
      type: 'Container',
    });
  });
});

describe('who reaches whom', () => {
  const policies = [
    ...attached(),
    ...decorateNamespace(
      {
        object: { ...namespace(), metadata: { ...namespace().metadata, name: 'other' } },
        attachments: {},
        related: {},
        finalizing: false,
      },
      TENANT_SETTINGS,
    ).attachments,
  ];
  const ours = (component: string) => ({ 'sless.dev/component': component });
  const platform = (component: string): End => ({
    namespace: 'sless-system',
    labels: { 'app.kubernetes.io/name': 'sless', 'app.kubernetes.io/component': component },
  });
  const fn: End = { namespace: 'team', labels: ours('server') };
  const build: End = { namespace: 'team', labels: ours('build') };
  const cron: End = { namespace: 'team', labels: ours('cron') };
  const job: End = { namespace: 'team', labels: ours('job') };
  const neighbour: End = { namespace: 'team', labels: { app: 'postgres' } };
  const stranger: End = { namespace: 'other', labels: ours('server') };
  const dns: End = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };

  const allowed: readonly (readonly [string, Connection])[] = [
    ['the proxy calls a function', { from: platform('proxy'), to: fn, port: 8080 }],
    ['the dispatcher does', { from: platform('dispatcher'), to: fn, port: 8080 }],
    ['an api with a proxy in it does', { from: platform('api'), to: fn, port: 8080 }],
    ['functions of a namespace call each other', { from: fn, to: fn, port: 8080 }],
    ['a schedule calls its function', { from: cron, to: fn, port: 8080 }],
    ["a function calls its team's database", { from: fn, to: neighbour, port: 5432 }],
    ["a function's run does", { from: job, to: neighbour, port: 5432 }],
    ['a function asks DNS', { from: fn, to: dns, port: 53, protocol: 'UDP' }],
    ['a function asks DNS at length', { from: fn, to: dns, port: 53, protocol: 'TCP' }],
    ['a function calls the internet', { from: fn, to: { address: '93.184.216.34' }, port: 443 }],
    ['over IPv6 too', { from: fn, to: { address: '2606:2800:220:1::1' }, port: 443 }],
    ['a function uses the allowed database', { from: fn, to: { namespace: 'database' }, port: 5432 }],
    ['and whatever the allowed ingress has', { from: fn, to: { namespace: 'ingress' }, port: 8443 }],
    ['a build fetches its code', { from: build, to: platform('api'), port: 8082 }],
    ['a build pushes its image', { from: build, to: { address: '10.1.2.3' }, port: 5000 }],
    ['a build installs from the internet', { from: build, to: { address: '151.101.0.223' }, port: 443 }],
    ['a build asks DNS', { from: build, to: dns, port: 53, protocol: 'UDP' }],
    ["a team's own workload is let alone", { from: { address: '10.9.9.9' }, to: neighbour, port: 5432 }],
  ];
  test.each(allowed)('%s', (_, connection) => expect(isAllowed(policies, connection)).toBe(true));

  const refused: readonly (readonly [string, Connection])[] = [
    ["another tenant's function calls ours", { from: stranger, to: fn, port: 8080 }],
    ["ours calls another tenant's", { from: fn, to: stranger, port: 8080 }],
    ['a pod of nobody calls ours', { from: { namespace: 'default' }, to: fn, port: 8080 }],
    ['the proxy looks elsewhere in a pod', { from: platform('proxy'), to: fn, port: 9090 }],
    [
      'something else of the system namespace calls',
      { from: { namespace: 'sless-system', labels: {} }, to: fn, port: 8080 },
    ],
    [
      'somebody wears the labels of the proxy',
      { from: { ...platform('proxy'), namespace: 'other' }, to: fn, port: 8080 },
    ],
    ['a function calls the api', { from: fn, to: platform('api'), port: 8080 }],
    ['a function asks for contexts', { from: fn, to: platform('api'), port: 8082 }],
    ['a function calls the operator', { from: fn, to: platform('operator'), port: 8443 }],
    ['a function reads metadata', { from: fn, to: { address: '169.254.169.254' }, port: 80 }],
    ['a build reads metadata', { from: build, to: { address: '169.254.169.254' }, port: 80 }],
    ['a function calls the API server', { from: fn, to: { address: '10.96.0.1' }, port: 443 }],
    ['a function calls a private IPv6 address', { from: fn, to: { address: 'fd00::1' }, port: 443 }],
    ['a function pushes images', { from: fn, to: { address: '10.1.2.3' }, port: 5000 }],
    ['a function has another port of the database', { from: fn, to: { namespace: 'database' }, port: 22 }],
    ['a function has more of DNS than that', { from: fn, to: dns, port: 10250 }],
    ['a build calls a function of its namespace', { from: build, to: fn, port: 8080 }],
    ["a build calls its team's database", { from: build, to: neighbour, port: 5432 }],
    ['a build uses what functions may', { from: build, to: { namespace: 'database' }, port: 5432 }],
    ['a build has another port of the api', { from: build, to: platform('api'), port: 8080 }],
    [
      'a build has another host beside the registry',
      { from: build, to: { address: '10.1.2.4' }, port: 5000 },
    ],
    ['somebody calls a build', { from: fn, to: build, port: 8080 }],
    ['the proxy calls a build', { from: platform('proxy'), to: build, port: 8080 }],
  ];
  test.each(refused)('not: %s', (_, connection) => expect(isAllowed(policies, connection)).toBe(false));
});
