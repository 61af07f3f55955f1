import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionOf } from '../../src/resources/definitions.ts';
import { admitObject } from '../../src/resources/validate.ts';
import type { Row } from '../objects/row.ts';
import { ROWS } from '../objects/rows.ts';
import { type Answer, apiServer } from './api-server.ts';
import { ensureNamespace, installCrds } from './crds.ts';

const server = apiServer();
if (server === undefined) console.warn('SKIPPED: KUBECONFIG is not set, so no API server judges the objects');

const NAMESPACE = `sless-test-${randomBytes(5).toString('hex')}`;

const object = (row: Row, spec: unknown) => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: row.kind,
  metadata: { name: row.name, namespace: NAMESPACE },
  ...(spec === undefined ? {} : { spec }),
});

const collection = (row: Row): string =>
  `/apis/sless.dev/v1alpha1/namespaces/${NAMESPACE}/${definitionOf(row.kind)?.kind.plural}`;

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  if (server === undefined) throw new Error('no API server');
  return server.call(method, path, body);
}

/** What the server says of a row: a dry run, upon a stored predecessor where the row is an update. */
async function judged(row: Row): Promise<Answer> {
  if (row.previous === undefined) return call('POST', `${collection(row)}?dryRun=All`, object(row, row.spec));
  const path = `${collection(row)}/${row.name}`;
  const created = await call('POST', collection(row), object(row, row.previous));
  expect(created.status, created.body.message).toBe(201);
  try {
    const { resourceVersion } = created.body.metadata as { resourceVersion: string };
    const next = object(row, row.spec);
    return await call('PUT', `${path}?dryRun=All`, {
      ...next,
      metadata: { ...next.metadata, resourceVersion },
    });
  } finally {
    await call('DELETE', path);
  }
}

describe.skipIf(server === undefined)('the API server says of every object what the rules here say', () => {
  beforeAll(async () => {
    if (server === undefined) return;
    await installCrds(server);
    await ensureNamespace(server, NAMESPACE);
  });
  afterAll(async () => {
    await server?.call('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    server?.close();
  });

  test.each(ROWS.map((row) => [`${row.kind}: ${row.title}`, row] as const))('%s', async (_, row) => {
    const { status, body } = await judged(row);
    if (row.wrong === undefined) {
      expect(status, body.message).toBeLessThan(300);
      const { object: admitted } = admitObject(object(row, row.spec));
      expect(admitted.spec).toEqual(body.spec);
    } else {
      expect(status, body.message).toBe(422);
      expect(body.message).toContain(row.wrong);
    }
  });
});
