import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { KINDS } from '../../resources/kube/kinds.ts';
import { formatTime } from '../../resources/kube/time.ts';
import type { Terminated } from '../pod/pod-status.ts';
import { type CurlCall, readCurl } from './curl-call.ts';
import type { JobDeps, PodEnd, PodRunner, PodWork } from './pod-run.ts';
import { createSinglePod } from './single-pod.ts';

/** Runs of cron Triggers: the call that their pods make with curl, made by this process. */
export const callPods: PodRunner = { atOnce: 20, run: runCall, hasBegun: async () => true };

/** What curl would end with: https://curl.se/docs/manpage.html#EXIT */
const CURL = { unreached: 7, refused: 22, tooLong: 28, brokenOff: 56 } as const;

/** How much of an answer is shown, as much as Kubernetes takes of a log. */
const MAX_OUTPUT = 2048;

interface Ending {
  readonly exitCode: number;
  readonly message?: string;
}

async function runCall(deps: JobDeps, work: PodWork): Promise<PodEnd> {
  const pod = createSinglePod(deps, work);
  const startedAt = formatTime(deps.clock.now());
  await pod.show({ running: { startedAt } });
  const call = readCurl(pod.container.args ?? [], { POD_NAME: pod.name });
  const ending = await endingOf(deps, work, { ...call, namespace: pod.namespace });
  const { exitCode } = ending;
  const terminated: Terminated = {
    ...ending,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt,
    finishedAt: formatTime(deps.clock.now()),
  };
  return pod.end(terminated);
}

interface Call extends CurlCall {
  readonly namespace: string;
}

async function endingOf(deps: JobDeps, { job, signal }: PodWork, call: Call): Promise<Ending> {
  const [service = ''] = call.url.hostname.split('.');
  const [port, body] = await Promise.all([
    endpointOf(deps, call.namespace, service),
    payloadOf(deps, call.namespace, job.spec.template.spec.volumes?.[0]?.configMap?.name),
  ]);
  if (port === undefined)
    return { exitCode: CURL.unreached, message: `curl: (7) no pod of ${service} takes calls` };
  const timeout = AbortSignal.timeout(call.maxSeconds * 1000);
  try {
    const { status, output } = await post(call, { port, body, signal: AbortSignal.any([signal, timeout]) });
    if (status < 400) return { exitCode: 0 };
    return { exitCode: CURL.refused, message: `curl: (22) the answer was ${status}\n${output}` };
  } catch (error) {
    if (timeout.aborted)
      return { exitCode: CURL.tooLong, message: `curl: (28) no answer within ${call.maxSeconds} s` };
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const isRefused = (cause as { readonly code?: unknown }).code === 'ECONNREFUSED';
    const exitCode = isRefused ? CURL.unreached : CURL.brokenOff;
    return {
      exitCode,
      message: `curl: (${exitCode}) ${cause instanceof Error ? cause.message : String(cause)}`,
    };
  }
}

interface Sent {
  readonly port: number;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** Not by `fetch`, which waits 300 s for an answer, and as long for each piece of it: as long as a call may take is the caller's word. */
async function post(
  { url, headers }: Call,
  { port, body, signal }: Sent,
): Promise<{ status: number; output: string }> {
  const options = { method: 'POST', headers, agent: false, signal };
  const sent = request(`http://127.0.0.1:${port}${url.pathname}`, options).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage]; // as Node documents it
  return { status: response.statusCode ?? 0, output: (await text(response)).slice(-MAX_OUTPUT) };
}

interface Slice {
  readonly ports?: readonly { readonly port: number }[];
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[];
}

/** The port of a pod that takes calls; each pod of local mode has an EndpointSlice of its own. */
async function endpointOf(
  { cluster }: JobDeps,
  namespace: string,
  service: string,
): Promise<number | undefined> {
  const labels = { 'kubernetes.io/service-name': service };
  const { items } = await cluster.list({ kind: KINDS.EndpointSlice, namespace, labels });
  const ready = items
    .map((item) => item as unknown as Slice) // local mode's own
    .filter(({ endpoints = [] }) => endpoints.some(({ conditions }) => conditions?.ready === true));
  return ready.at(0)?.ports?.at(0)?.port;
}

async function payloadOf({ cluster }: JobDeps, namespace: string, name = ''): Promise<Buffer> {
  const configMap = await cluster.get({ kind: KINDS.ConfigMap, namespace, name });
  const [content = ''] = Object.values((configMap?.binaryData ?? {}) as Readonly<Record<string, string>>);
  return Buffer.from(content, 'base64');
}
