import { SlessError } from '../../../errors.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import { controllerOf, type KubeObject } from '../../../resources/kube/object.ts';
import { operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { requireFunction } from '../functions/object.ts';
import { functionParams } from '../request/params.ts';
import { inSlot } from '../request/slots.ts';
import { type LogLineAnswer, logText, toLogLine } from './answer.ts';
import { type BuildState, buildState } from './build-state.ts';
import { afterOf, logsQuery } from './query.ts';
import { followFrom, type LogQuestion, readNewest } from './read.ts';
import { LOG_RESPONSE, type LogAnswer, type LogSlots, lastEventId, requireLogs } from './shape.ts';

const CODES = [
  'NamespaceNotFound',
  'NotFound',
  'NoSuchVersion',
  'InvalidRequest',
  'TooManyRequests',
  'NotImplemented',
] as const;

const readBuildLogsRoute = operation(CODES, {
  method: 'get',
  path: '/v1/namespaces/{ns}/functions/{name}/build/logs',
  operationId: 'readBuildLogs',
  tags: ['logs'],
  summary: 'What the build of the code that is wanted now has written.',
  description:
    'All its steps, while it runs and after it failed; of a failed build whose pod is gone, the last lines that were kept. Nothing is kept of a build that succeeded. With `follow` it also waits for a build that has not begun, and ends with the event `end`: `{"outcome": "succeeded"|"failed", "reason", "message"}`.',
  request: { params: functionParams, query: logsQuery, headers: lastEventId },
  responses: { 200: LOG_RESPONSE },
});

interface BuildLogOptions {
  readonly options: ApiOptions;
  readonly slots: LogSlots;
}

export function registerBuildLogs(app: ApiApp, deps: ApiDeps, { options, slots }: BuildLogOptions): void {
  app.openapi(readBuildLogsRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const { tail, since, follow, timestamps } = c.req.valid('query');
    const logDeps = requireLogs(deps, options);
    const object = await requireFunction(deps.cluster, address);
    const build = buildState(object);
    if (build.state === 'none')
      throw new SlessError('NoSuchVersion', `the function ${JSON.stringify(address.name)} has no code yet`);
    const question: LogQuestion = {
      namespace: address.namespace,
      labels: { [LABELS.component]: 'build', [LABELS.function]: address.name },
      accepts: podsOf(object, build),
      lines: tail,
      after: afterOf(since, deps.clock.now()),
      previous: false,
    };
    const kept = build.state === 'failed' ? keptLines(build.message, tail) : [];
    const end = async () => outcomeOf(buildState(await requireFunction(deps.cluster, address)));
    const answer = await (follow
      ? inSlot(slots.following, c, () => followFrom(c, logDeps, { question, kept, end }))
      : inSlot(slots.reading, c, async () => {
          const { lines } = await readNewest(logDeps, question, c.req.raw.signal);
          const told = lines.length === 0 ? kept : lines.map(toLogLine);
          const [text, type] = logText(told, { accept: c.req.header('accept'), timestamps });
          return c.body(text, 200, { 'content-type': type });
        }));
    return answer as LogAnswer;
  });
}

/** The pods of that build. Of one that has not begun only this is known: they are not those of the build before. */
function podsOf({ status }: FunctionObject, build: BuildState): (pod: KubeObject) => boolean {
  const before = status?.build?.job;
  return (pod) => {
    const job = controllerOf(pod)?.name;
    if (build.state === 'awaited') return job !== before;
    return 'job' in build && job === build.job;
  };
}

function keptLines(message: string, lines: number): LogLineAnswer[] {
  const kept = message.split('\n').map((line) => ({ time: null, pod: null, container: null, line }));
  return kept.slice(Math.max(0, kept.length - lines));
}

/** `undefined` while it is not over. */
function outcomeOf(build: BuildState): object | undefined {
  if (build.state === 'succeeded') return { outcome: 'succeeded' };
  if (build.state !== 'failed') return undefined;
  return { outcome: 'failed', reason: build.reason, message: build.message };
}
