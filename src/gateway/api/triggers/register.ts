import { KINDS } from '../../../resources/kube/kinds.ts';
import { ANNOTATIONS, LABELS } from '../../../resources/kube/labels.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import { createObject } from '../create-object.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { type Change, patchFresh } from '../fresh-patch.ts';
import { mergePatchOf } from '../merge-patch.ts';
import type { Spec } from '../request/named-fields.ts';
import { nextOf, pageOf, readPage } from '../request/paging.ts';
import { toTriggerAnswer } from './answer.ts';
import { cronRunsOf } from './cron-runs.ts';
import { checkSpec, type TriggerFields, withFields } from './fields.ts';
import { asTrigger, requireTrigger, triggerRef, triggerTitle } from './object.ts';
import {
  createTriggerRoute,
  deleteTriggerRoute,
  getTriggerRoute,
  listTriggersRoute,
  patchTriggerRoute,
} from './routes.ts';

type Deps = Pick<ApiDeps, 'cluster' | 'random'>;

export function registerTriggers(app: ApiApp, deps: Deps): void {
  registerReads(app, deps);
  registerCreate(app, deps);
  registerPatch(app, deps);
  registerDelete(app, deps);
}

function registerReads(app: ApiApp, { cluster }: Deps): void {
  app.openapi(listTriggersRoute, async (c) => {
    const namespace = c.get('namespace');
    const page = await readPage(cluster, { kind: KINDS.Trigger, namespace }, pageOf(c.req.valid('query')));
    const triggers = page.items.map(asTrigger);
    const runs = await cronRunsOf(cluster, namespace, triggers);
    const items = triggers.map((trigger) => toTriggerAnswer(trigger, runs));
    return c.json({ items, next: nextOf(page) }, 200);
  });
  app.openapi(getTriggerRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const trigger = await requireTrigger(cluster, address);
    const runs = await cronRunsOf(cluster, address.namespace, [trigger]);
    return c.json(toTriggerAnswer(trigger, runs), 200);
  });
}

function registerCreate(app: ApiApp, { cluster }: Deps): void {
  app.openapi(createTriggerRoute, async (c) => {
    const namespace = c.get('namespace');
    const { name, function: functionRef, ...fields } = c.req.valid('json');
    const spec = checkSpec(withFields({ functionRef }, fields));
    const { apiVersion, kind } = KINDS.Trigger;
    const metadata = { name, namespace, labels: { [LABELS.function]: functionRef } };
    const wanted = { apiVersion, kind, metadata, spec };
    const object = await createObject(cluster, wanted, triggerTitle({ name }));
    return c.json(toTriggerAnswer(asTrigger(object)), 201);
  });
}

function registerPatch(app: ApiApp, deps: Deps): void {
  app.openapi(patchTriggerRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const fields = c.req.valid('json');
    const object = await patchFresh(deps, {
      ref: triggerRef(address),
      title: triggerTitle(address),
      change: (current) => changeOf(current, fields),
    });
    const trigger = asTrigger(object);
    const runs = await cronRunsOf(deps.cluster, address.namespace, [trigger]);
    return c.json(toTriggerAnswer(trigger, runs), 200);
  });
}

function changeOf(current: KubeObject, fields: TriggerFields): Change | undefined {
  const before: Spec = { ...asTrigger(current).spec };
  const after = withFields(before, fields);
  checkSpec(after);
  const spec = mergePatchOf(before, after);
  // Whoever says whether it is enabled has taken over from a stop, which marks what its start may enable.
  const marked = current.metadata.annotations?.[ANNOTATIONS.stopped] !== undefined;
  const annotations = marked && fields.enabled !== undefined ? { [ANNOTATIONS.stopped]: null } : undefined;
  if (spec === undefined && annotations === undefined) return undefined;
  return { spec, ...(annotations === undefined ? {} : { annotations }) };
}

function registerDelete(app: ApiApp, { cluster }: Deps): void {
  app.openapi(deleteTriggerRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const { uid } = (await requireTrigger(cluster, address)).metadata;
    await cluster.delete(triggerRef(address), uid === undefined ? {} : { uid });
    return c.body(null, 204);
  });
}
