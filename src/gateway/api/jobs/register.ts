import { KINDS } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import { createObject } from '../create-object.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { type Change, patchFresh } from '../fresh-patch.ts';
import { mergePatchOf } from '../merge-patch.ts';
import type { Spec } from '../request/named-fields.ts';
import { nextOf, pageOf, readPage } from '../request/paging.ts';
import { toJobAnswer } from './answer.ts';
import { checkSpec, withFields } from './fields.ts';
import { asJob, jobRef, jobTitle, requireJob } from './object.ts';
import { registerDeleteJob } from './remove.ts';
import { createJobRoute, getJobRoute, listJobsRoute, patchJobRoute } from './routes.ts';

export function registerJobs(app: ApiApp, deps: ApiDeps, options: ApiOptions): void {
  registerReads(app, deps);
  registerCreate(app, deps);
  registerPatch(app, deps);
  registerDeleteJob(app, deps, options);
}

function registerReads(app: ApiApp, { cluster }: ApiDeps): void {
  app.openapi(listJobsRoute, async (c) => {
    const namespace = c.get('namespace');
    const page = await readPage(
      cluster,
      { kind: KINDS.FunctionJob, namespace },
      pageOf(c.req.valid('query')),
    );
    const items = page.items.map((object) => toJobAnswer(asJob(object)));
    return c.json({ items, next: nextOf(page) }, 200);
  });
  app.openapi(getJobRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    return c.json(toJobAnswer(await requireJob(cluster, address)), 200);
  });
}

function registerCreate(app: ApiApp, { cluster }: ApiDeps): void {
  app.openapi(createJobRoute, async (c) => {
    const namespace = c.get('namespace');
    const { name, function: functionRef, ...fields } = c.req.valid('json');
    const spec = checkSpec(withFields({ functionRef }, fields));
    const { apiVersion, kind } = KINDS.FunctionJob;
    const metadata = { name, namespace, labels: { [LABELS.function]: functionRef } };
    const wanted = { apiVersion, kind, metadata, spec };
    const object = await createObject(cluster, wanted, jobTitle({ name }));
    return c.json(toJobAnswer(asJob(object)), 201);
  });
}

function registerPatch(app: ApiApp, deps: ApiDeps): void {
  app.openapi(patchJobRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const fields = c.req.valid('json');
    const object = await patchFresh(deps, {
      ref: jobRef(address),
      title: jobTitle(address),
      change: (current) => changeOf(current, fields),
    });
    return c.json(toJobAnswer(asJob(object)), 200);
  });
}

function changeOf(current: KubeObject, fields: Spec): Change | undefined {
  const before: Spec = { ...asJob(current).spec };
  const after = withFields(before, fields);
  checkSpec(after);
  const spec = mergePatchOf(before, after);
  return spec === undefined ? undefined : { spec };
}
