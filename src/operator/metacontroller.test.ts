import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../test/hooks/settings.ts';
import { FUNCTION_KINDS } from '../resources/function/customize.ts';
import { FUNCTION_JOB_KINDS } from '../resources/function-job/kinds.ts';
import { KINDS, type Kind } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import { TENANT_DECORATOR_KINDS } from '../resources/tenant/decorate.ts';
import { TRIGGER_KINDS } from '../resources/trigger/kinds.ts';
import { createHooks } from './hooks.ts';

interface Hook {
  readonly version: string;
  readonly webhook: { readonly path: string; readonly timeout: string };
}
interface Rule {
  readonly apiVersion: string;
  readonly resource: string;
  readonly updateStrategy?: { readonly method: string };
}
interface Controller {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly generateSelector?: boolean;
    readonly parentResource?: Rule & { readonly ignoreStatusChanges?: boolean };
    readonly childResources?: readonly Rule[];
    readonly resources?: readonly Rule[];
    readonly attachments?: readonly Rule[];
    readonly hooks: Readonly<Record<string, Hook>>;
  };
}

const folder = resolve(import.meta.dirname, '../../metacontroller');
const controllers = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
  .map((document) => document.toJS() as Controller);
const composites = controllers.filter(({ kind }) => kind === 'CompositeController');

const text = (kind: Kind): string => `${kind.apiVersion}/${kind.plural}`;

test.each([
  ['sless-functions', FUNCTION_KINDS],
  ['sless-triggers', TRIGGER_KINDS],
  ['sless-functionjobs', FUNCTION_JOB_KINDS],
] as const)('%s declares the kinds that its hook emits, and no others', (name, kinds) => {
  const spec = composites.find(({ metadata }) => metadata.name === name)?.spec;
  const declared = spec?.childResources?.map(({ apiVersion, resource }) => `${apiVersion}/${resource}`);
  expect(declared?.sort()).toEqual(kinds.children.map(text).sort());
  expect(`${spec?.parentResource?.apiVersion}/${spec?.parentResource?.resource}`).toBe(text(kinds.parent));
});

test('the controller of tenants takes labelled namespaces alone and declares what its hook attaches', () => {
  const tenants = controllers.find(({ metadata }) => metadata.name === 'sless-tenants')?.spec;
  expect(tenants?.resources).toEqual([
    {
      apiVersion: 'v1',
      resource: 'namespaces',
      labelSelector: { matchLabels: { [LABELS.tenant]: 'true' } },
    },
  ]);
  const declared = tenants?.attachments?.map(({ apiVersion, resource }) => `${apiVersion}/${resource}`);
  expect(declared?.sort()).toEqual(TENANT_DECORATOR_KINDS.children.map(text).sort());
  for (const { updateStrategy } of tenants?.attachments ?? []) expect(updateStrategy?.method).toBe('InPlace');
});

test('Jobs are never touched, everything else is changed in place', () => {
  for (const { apiVersion, resource, updateStrategy } of composites.flatMap(
    ({ spec }) => spec.childResources ?? [],
  )) {
    const isJob = `${apiVersion}/${resource}` === text(KINDS.Job);
    expect(updateStrategy?.method, resource).toBe(isJob ? 'OnDelete' : 'InPlace');
  }
});

test('composites select their children by uid, ignore their own status, and have no finalizer', () => {
  expect(composites).toHaveLength(3);
  for (const { spec } of composites) {
    expect(spec).toMatchObject({ generateSelector: true, parentResource: { ignoreStatusChanges: true } });
    expect(Object.keys(spec.hooks).sort()).toEqual(['customize', 'sync']);
  }
});

test('every hook that is declared is v2, has its time limit, and is served', () => {
  const served = new Set(createHooks(SETTINGS).map(({ path }) => path));
  for (const { spec } of controllers) {
    for (const [name, { version, webhook }] of Object.entries(spec.hooks)) {
      expect(version).toBe('v2');
      expect(webhook.timeout).toBe(name === 'customize' ? '2s' : '10s');
      expect(served).toContain(webhook.path);
    }
  }
});
