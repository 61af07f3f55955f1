import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ApiServer } from './api-server.ts';
import { type Child, startChild } from './child.ts';

const APPLY = 'application/apply-patch+yaml';
const GROUP = 'metacontroller.k8s.io';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Metacontroller's own kinds, only as wide as our objects need them: its real CRDs are not part of this repository. */
const KINDS = [
  { kind: 'CompositeController', plural: 'compositecontrollers', scope: 'Cluster' },
  { kind: 'DecoratorController', plural: 'decoratorcontrollers', scope: 'Cluster' },
  { kind: 'ControllerRevision', plural: 'controllerrevisions', scope: 'Namespaced' },
] as const;

export async function installMetacontrollerCrds(server: ApiServer): Promise<void> {
  for (const { kind, plural, scope } of KINDS) {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const version = {
      name: 'v1alpha1',
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: { openAPIV3Schema: open },
    };
    const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
    const name = `${plural}.${GROUP}`;
    const body = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, test only' } },
      spec: { group: GROUP, names, scope, versions: [version] },
    };
    const { status, body: said } = await server.call(
      'PATCH',
      `${CRDS}/${name}?fieldManager=sless-test&force=true`,
      body,
      APPLY,
    );
    expect(status, said.message).toBeLessThan(300);
    await vi.waitFor(
      async () =>
        expect((await server.call('GET', `/apis/${GROUP}/v1alpha1/${plural}?limit=1`)).status).toBe(200),
      { timeout: 30_000, interval: 100 },
    );
  }
}

export async function removeMetacontrollerCrds(server: ApiServer): Promise<void> {
  for (const { plural } of KINDS) await server.call('DELETE', `${CRDS}/${plural}.${GROUP}`);
}

interface Hook {
  webhook: Record<string, unknown> & { readonly path: string };
}
interface Controller {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  spec: Record<string, unknown> & { hooks: Record<string, Hook> };
}

/** Our controllers as they are in `metacontroller/`, but with webhooks at this address. */
export async function installControllers(server: ApiServer, url: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { apiVersion, kind, metadata, spec } of ourControllers()) {
    const { endpointConfigs: _, hooks, ...rest } = spec;
    const direct = Object.entries(hooks).map(([name, hook]) => {
      const { path, timeout } = hook.webhook;
      return [name, { ...hook, webhook: { url: `${url}${path}`, timeout } }];
    });
    const body = { apiVersion, kind, metadata, spec: { ...rest, hooks: Object.fromEntries(direct) } };
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s/${metadata.name}`;
    await server.call('DELETE', path);
    const { status, body: said } = await server.call(
      'PATCH',
      `${path}?fieldManager=sless-test&force=true`,
      body,
      APPLY,
    );
    expect(status, said.message).toBeLessThan(300);
    paths.push(path);
  }
  return paths;
}

function ourControllers(): Controller[] {
  const folder = resolve(import.meta.dirname, '../../metacontroller');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS() as Controller);
}

/** A Metacontroller of this machine, by the path of its binary. */
export function startMetacontroller(binary: string, strategy: string, kubeconfig: string): Child {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  return startChild(binary, metacontrollerArgs(strategy, kubeconfig), env);
}

/** Its flags, with ports of its own choice. */
export function metacontrollerArgs(strategy: string, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--discovery-interval=2s',
    '--metrics-address=127.0.0.1:0',
    '--health-probe-bind-address=127.0.0.1:0',
    '--client-go-qps=200',
    '--client-go-burst=400',
    `--apply-strategy=${strategy}`,
  ];
}
