import { isDeepStrictEqual } from 'node:util';
import { Hono } from 'hono';
import { z } from 'zod';
import { isSlessError, SlessError } from '../../errors.ts';
import type { ControllerCluster, ObjectRef } from '../../ports/cluster.ts';
import { everything } from '../../ports/everything.ts';
import { findKind, KINDS, type Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { allKinds, fullName, kindOfWord, WRITABLE } from './kinds.ts';
import { ADMIN_PATH } from './path.ts';

/** What the field manager of `apply` is called. */
const MANAGER = 'sless-local';

interface AdminDeps {
  readonly cluster: ControllerCluster;
  /** Fails with `Unauthenticated` unless the token is the administrator's. */
  readonly authenticate: (token: string) => Promise<unknown>;
}

const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional() }),
});

/** Stands in for kubectl's way into a cluster, for whoever may read the installation's key. */
export function createAdmin({ cluster, authenticate }: AdminDeps): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    const known = isSlessError(error) ? error : new SlessError('Internal', error.message, { cause: error });
    return c.json({ error: known.message, code: known.code }, known.http as 400);
  });
  app.use(`${ADMIN_PATH}/*`, async (c, next) => {
    await authenticate(/^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '');
    await next();
  });
  app.post(ADMIN_PATH, async (c) => c.json(await apply(cluster, await c.req.json())));
  app.get(`${ADMIN_PATH}/:kind`, async (c) => {
    const query = addressed(c.req.param('kind'), c.req.query('namespace'));
    return c.json({ items: (await everything(cluster, query)).map(shown) });
  });
  app.get(`${ADMIN_PATH}/:kind/:name`, async (c) => {
    const ref = refTo(c.req.param('kind'), c.req.param('name'), c.req.query('namespace'));
    return c.json(shown((await cluster.get(ref)) ?? fail(ref)));
  });
  app.delete(`${ADMIN_PATH}/:kind/:name`, async (c) => {
    const ref = refTo(c.req.param('kind'), c.req.param('name'), c.req.query('namespace'));
    refuseUnlessWritable(ref.kind);
    await cluster.delete(ref);
    return c.json({ deleted: fullName(ref.kind, ref.name) });
  });
  return app;
}

/** As kubectl shows it: who owns which field is bookkeeping. */
function shown({ metadata, ...object }: KubeObject): object {
  const { managedFields: _, ...rest } = metadata;
  const { apiVersion, kind, ...members } = object;
  return { apiVersion, kind, metadata: rest, ...members };
}

/** @returns what was done, as kubectl says it: created, configured or unchanged. */
async function apply(cluster: ControllerCluster, body: unknown): Promise<{ applied: string; how: string }> {
  const parsed = objectSchema.safeParse(body);
  if (!parsed.success)
    throw new SlessError('InvalidRequest', `not an object: ${z.prettifyError(parsed.error)}`);
  // The cluster judges the rest of it.
  const object = parsed.data as KubeObject;
  const kind = findKind(object.apiVersion, object.kind, Object.values(KINDS));
  if (kind === undefined) {
    throw new SlessError('InvalidRequest', `there is no kind ${object.kind} in ${object.apiVersion}`);
  }
  refuseUnlessWritable(kind);
  const { name, namespace } = object.metadata;
  const before = await cluster.get(namespace === undefined ? { kind, name } : { kind, namespace, name });
  const after = await cluster.apply(object, MANAGER);
  const isSame = before !== undefined && isDeepStrictEqual(said(before), said(after));
  const how = before === undefined ? 'created' : isSame ? 'unchanged' : 'configured';
  return { applied: fullName(kind, name), how };
}

/**
 * What is wanted of an object: without what is reported of it, and without the bookkeeping, which an apply that says nothing new
 * changes too when it is the first to say it.
 */
function said({ status, metadata, ...wanted }: KubeObject): object {
  const { managedFields, resourceVersion, generation, ...named } = metadata;
  return { ...wanted, metadata: named };
}

function refuseUnlessWritable(kind: Kind): void {
  if (WRITABLE.includes(kind)) return;
  const names = WRITABLE.map((known) => known.kind).join(', ');
  throw new SlessError('Forbidden', `a ${kind.kind} is made by sless itself; yours are ${names}`);
}

function addressed(word: string, namespace: string | undefined): { kind: Kind; namespace?: string } {
  const kind = kindOfWord(word);
  if (kind === undefined) {
    const message = `there is no kind ${JSON.stringify(word)}; there are: ${allKinds()}`;
    throw new SlessError('InvalidRequest', message);
  }
  return kind.namespaced && namespace !== undefined ? { kind, namespace } : { kind };
}

const refTo = (word: string, name: string, namespace: string | undefined): ObjectRef => ({
  ...addressed(word, namespace),
  name,
});

function fail({ kind, name }: ObjectRef): never {
  throw new SlessError('NotFound', `${fullName(kind, name)} not found`);
}
