import type { z } from 'zod';
import { customizeFunction, FUNCTION_KINDS } from '../resources/function/customize.ts';
import { syncFunction } from '../resources/function/sync.ts';
import { decorateFunctionJob } from '../resources/function-job/decorate.ts';
import { FUNCTION_JOB_KINDS } from '../resources/function-job/kinds.ts';
import { syncFunctionJob } from '../resources/function-job/sync.ts';
import {
  customizeRequestSchema,
  decorateRequestSchema,
  type HookKinds,
  syncRequestSchema,
} from '../resources/kube/hook.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { customizeReferrer } from '../resources/kube/related.ts';
import { decorateNamespace, TENANT_DECORATOR_KINDS } from '../resources/tenant/decorate.ts';
import { decorateTrigger, TRIGGER_DECORATOR_KINDS } from '../resources/trigger/decorate.ts';
import { TRIGGER_KINDS } from '../resources/trigger/kinds.ts';
import { syncTrigger } from '../resources/trigger/sync.ts';
import type { HookSettings } from './settings.ts';

/** One webhook: where it is, what it takes, and the pure function that answers. */
export interface Hook {
  readonly path: string;
  readonly request: z.ZodType;
  readonly answer: (request: unknown, now: number) => object;
  /** The object that a request is about, for the log. */
  readonly subject: (request: unknown) => KubeObject;
}

/** The schema's type is what `answer` takes; a list of hooks of many types has to forget it. */
function hook<Request extends { parent: KubeObject } | { object: KubeObject }>(
  path: string,
  request: z.ZodType<Request>,
  answer: (request: Request, now: number) => object,
): Hook {
  return {
    path,
    request,
    answer: (parsed, now) => answer(parsed as Request, now),
    subject: (parsed) => {
      const known = parsed as Request;
      return 'parent' in known ? known.parent : known.object;
    },
  };
}

const FUNCTION_JOB_DECORATOR_KINDS: HookKinds = { parent: KINDS.FunctionJob, children: [], related: [] };

/** All webhooks of the operator. */
export function createHooks(settings: HookSettings): readonly Hook[] {
  return [
    hook('/sync/function', syncRequestSchema(FUNCTION_KINDS), (request, now) =>
      syncFunction(request, settings.functions, now),
    ),
    hook('/customize/function', customizeRequestSchema(FUNCTION_KINDS), customizeFunction),
    hook('/sync/trigger', syncRequestSchema(TRIGGER_KINDS), (request, now) =>
      syncTrigger(request, settings.triggers, now),
    ),
    hook('/customize/trigger', customizeRequestSchema(TRIGGER_KINDS), customizeReferrer),
    hook('/sync/functionjob', syncRequestSchema(FUNCTION_JOB_KINDS), (request, now) =>
      syncFunctionJob(request, settings.functions, now),
    ),
    hook('/customize/functionjob', customizeRequestSchema(FUNCTION_JOB_KINDS), customizeReferrer),
    hook('/decorate/trigger', decorateRequestSchema(TRIGGER_DECORATOR_KINDS), decorateTrigger),
    hook('/decorate/functionjob', decorateRequestSchema(FUNCTION_JOB_DECORATOR_KINDS), decorateFunctionJob),
    hook('/decorate/namespace', decorateRequestSchema(TENANT_DECORATOR_KINDS), (request) =>
      decorateNamespace(request, settings.tenants),
    ),
  ];
}
