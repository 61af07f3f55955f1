import { expect, vi } from 'vitest';
import { customResourceDefinition } from '../../src/codegen/crd.ts';
import { DEFINITIONS } from '../../src/resources/definitions.ts';
import type { ApiServer } from './api-server.ts';

const APPLY = 'application/apply-patch+yaml';

/** Installs the generated CRDs and waits until their kinds are served. */
export async function installCrds(server: ApiServer): Promise<void> {
  for (const definition of DEFINITIONS) {
    const { plural, apiVersion } = definition.kind;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.sless.dev`;
    const { status, body } = await server.call(
      'PATCH',
      `${path}?fieldManager=sless-test&force=true`,
      customResourceDefinition(definition),
      APPLY,
    );
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    await vi.waitFor(
      async () => {
        expect(established(await server.call('GET', path))).toBe('True');
        expect((await server.call('GET', `/apis/${apiVersion}/${plural}?limit=1`)).status).toBe(200);
      },
      { timeout: 30_000, interval: 100 },
    );
  }
}

interface Conditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function established({ body }: { readonly body: unknown }): string | undefined {
  return (body as Conditions).status?.conditions?.find(({ type }) => type === 'Established')?.status;
}

/** Makes the namespace if it is not there. */
export async function ensureNamespace(server: ApiServer, name: string): Promise<void> {
  const body = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'sless.dev/tenant': 'true' } },
  };
  const { status } = await server.call(
    'PATCH',
    `/api/v1/namespaces/${name}?fieldManager=sless-test&force=true`,
    body,
    APPLY,
  );
  expect(status).toBeLessThan(300);
}
