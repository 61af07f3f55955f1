import { SlessError } from '../../../errors.ts';
import { serverSelector } from '../../../resources/function/labels.ts';
import { operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { requireFunction } from '../functions/object.ts';
import { functionParams } from '../request/params.ts';
import { createSlots, inSlot } from '../request/slots.ts';
import { logText, toLogLine } from './answer.ts';
import { registerBuildLogs } from './build.ts';
import { afterOf, functionLogsQuery } from './query.ts';
import { followFrom, type LogQuestion, readNewest } from './read.ts';
import { LOG_RESPONSE, type LogAnswer, type LogSlots, lastEventId, requireLogs } from './shape.ts';

const CODES = [
  'NamespaceNotFound',
  'NotFound',
  'InvalidRequest',
  'TooManyRequests',
  'NotImplemented',
] as const;

const readLogsRoute = operation(CODES, {
  method: 'get',
  path: '/v1/namespaces/{ns}/functions/{name}/logs',
  operationId: 'readLogs',
  tags: ['logs'],
  summary: 'What the pods of a function have written.',
  description:
    'Of all its pods, as far back as Kubernetes keeps them: until a pod is replaced, and of a container that was restarted the run before with `previous`. At most 5000 lines and 4 MiB at once.',
  request: { params: functionParams, query: functionLogsQuery, headers: lastEventId },
  responses: { 200: LOG_RESPONSE },
});

const PER_TENANT = 8;
const TOTAL = 128;

export function registerLogs(app: ApiApp, deps: ApiDeps, options: ApiOptions): void {
  const { followersPerTenant = PER_TENANT, followersTotal = TOTAL } = options;
  const slots: LogSlots = {
    reading: createSlots({ what: 'readers of logs', perTenant: 4, total: 16, waitMs: 5000 }),
    following: createSlots({
      what: 'followers of logs',
      perTenant: followersPerTenant,
      total: followersTotal,
    }),
  };
  app.openapi(readLogsRoute, async (c) => {
    const [namespace, { name }] = [c.get('namespace'), c.req.valid('param')];
    const { tail, since, follow, previous, pod, timestamps } = c.req.valid('query');
    const logDeps = requireLogs(deps, options);
    await requireFunction(deps.cluster, { namespace, name });
    if (follow && previous)
      throw new SlessError('InvalidRequest', 'previous: a run that is over cannot be followed');
    const question: LogQuestion = {
      namespace,
      labels: serverSelector(name),
      accepts: ({ metadata }) => pod === undefined || metadata.name === pod,
      lines: tail,
      after: afterOf(since, deps.clock.now()),
      previous,
    };
    const answer = await (follow
      ? inSlot(slots.following, c, () => followFrom(c, logDeps, { question }))
      : inSlot(slots.reading, c, async () => {
          const { lines } = await readNewest(logDeps, question, c.req.raw.signal);
          const [text, type] = logText(lines.map(toLogLine), { accept: c.req.header('accept'), timestamps });
          return c.body(text, 200, { 'content-type': type });
        }));
    return answer as LogAnswer;
  });
  registerBuildLogs(app, deps, { options, slots });
}
