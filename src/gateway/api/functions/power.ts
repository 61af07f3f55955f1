import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import { annotationOf, type KubeObject } from '../../../resources/kube/object.ts';
import type { TriggerObject } from '../../../resources/trigger/schema.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { type Change, patchFresh } from '../fresh-patch.ts';
import { functionParams } from '../request/params.ts';
import { triggerRef, triggerTitle } from '../triggers/object.ts';
import { listTriggers } from '../triggers/of-namespace.ts';
import { functionAnswer, toFunctionAnswer } from './answer.ts';
import { asFunction, type FunctionAddress, functionRef, functionTitle, requireFunction } from './object.ts';

const CODES = ['NamespaceNotFound', 'NotFound', 'InvalidRequest', 'Conflict'] as const;

export const stopRoute = operation(CODES, {
  method: 'post',
  path: '/v1/namespaces/{ns}/functions/{name}/stop',
  operationId: 'stopFunction',
  tags: ['functions'],
  summary: 'Stops a function: disables its triggers, or sets its replicas to 0 where it has none.',
  request: { params: functionParams },
  responses: { 202: json('The function will have no pods.', functionAnswer) },
});

export const startRoute = operation(CODES, {
  method: 'post',
  path: '/v1/namespaces/{ns}/functions/{name}/start',
  operationId: 'startFunction',
  tags: ['functions'],
  summary: 'Starts a function again: brings back what stop took away, and nothing else.',
  request: { params: functionParams },
  responses: { 202: json('The function will have its pods again.', functionAnswer) },
});

/** Stop and start. Nothing is made again by either: they change what is wanted, and remember what it was. */
export function registerPower(app: ApiApp, deps: ApiDeps): void {
  app.openapi(stopRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    return c.json(await stop(deps, address), 202);
  });
  app.openapi(startRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    return c.json(await start(deps, address), 202);
  });
}

/** A function without Triggers runs for whoever calls it from within; what it had is kept in an annotation. */
async function stop(deps: ApiDeps, address: FunctionAddress) {
  await requireFunction(deps.cluster, address);
  const triggers = await triggersOf(deps, address);
  for (const trigger of triggers) {
    await patchTrigger(deps, trigger, ({ spec }) =>
      spec.enabled === false
        ? undefined
        : { spec: { enabled: false }, annotations: { [ANNOTATIONS.stopped]: 'true' } },
    );
  }
  return patchFunction(deps, address, (current) =>
    triggers.length > 0 ? undefined : withoutReplicas(current),
  );
}

function withoutReplicas(current: KubeObject): Change | undefined {
  const { replicas = 1 } = asFunction(current).spec;
  if (replicas === 0) return undefined;
  return { spec: { replicas: 0 }, annotations: { [ANNOTATIONS.stoppedReplicas]: String(replicas) } };
}

/** A Trigger that its user disabled stays so, and so do replicas that were set to 0 by hand. */
async function start(deps: ApiDeps, address: FunctionAddress) {
  await requireFunction(deps.cluster, address);
  for (const trigger of await triggersOf(deps, address)) {
    await patchTrigger(deps, trigger, (current) =>
      annotationOf(current, ANNOTATIONS.stopped) === undefined
        ? undefined
        : { spec: { enabled: true }, annotations: { [ANNOTATIONS.stopped]: null } },
    );
  }
  return patchFunction(deps, address, withReplicas);
}

function withReplicas(current: KubeObject): Change | undefined {
  const kept = annotationOf(current, ANNOTATIONS.stoppedReplicas);
  if (kept === undefined) return undefined;
  const annotations = { [ANNOTATIONS.stoppedReplicas]: null };
  // Somebody has raised them by hand since.
  if (asFunction(current).spec.replicas !== 0) return { annotations };
  // Whoever may write annotations may write nonsense; one pod is what a function has by default.
  const replicas = /^[1-9][0-9]{0,3}$/.test(kept) ? Math.min(Number(kept), 1000) : 1;
  return { spec: { replicas }, annotations };
}

async function triggersOf(
  { cluster }: ApiDeps,
  { namespace, name }: FunctionAddress,
): Promise<TriggerObject[]> {
  return (await listTriggers(cluster, namespace)).filter(({ spec }) => spec.functionRef === name);
}

async function patchTrigger(
  deps: ApiDeps,
  { metadata }: TriggerObject,
  change: (current: TriggerObject) => Change | undefined,
): Promise<void> {
  const address = { namespace: metadata.namespace ?? '', name: metadata.name };
  await patchFresh(deps, {
    ref: triggerRef(address),
    title: triggerTitle(address),
    uid: metadata.uid,
    change: (current) => change(current as TriggerObject), // listed as one
  });
}

async function patchFunction(
  deps: ApiDeps,
  address: FunctionAddress,
  change: (current: KubeObject) => Change | undefined,
) {
  const ref = { ref: functionRef(address), title: functionTitle(address) };
  const object = asFunction(await patchFresh(deps, { ...ref, change }));
  const triggers = await listTriggers(deps.cluster, address.namespace, address.name);
  return toFunctionAnswer(object, { runtimes: deps.runtimes, triggers });
}
