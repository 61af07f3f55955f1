import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Sample, zipFolder } from './sample.ts';

/** A user of this installation: where it is, who they are. */
export interface User {
  readonly endpoint: string;
  readonly token: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** How a call of a sample went. */
export interface Called {
  readonly url: string;
  readonly status: number;
  readonly milliseconds: number;
}

const functionSchema = z.looseObject({ phase: z.string(), message: z.string().optional() });

const POLL_MS = 25;
/** A first build with nothing to install takes a second on a slow machine. */
const READY_MS = 20_000;
const CALL_MS = 10_000;

/** Deploys a sample as its README says, through the same REST as everyone. What is there already is left as it is. */
export async function deploySample(user: User, sample: Sample, folder: string): Promise<void> {
  const base = `/v1/namespaces/${user.namespace}`;
  await send(user, 'POST', `${base}/ensure`);
  await send(user, 'POST', `${base}/functions`, { name: sample.name, runtime: sample.runtime });
  const form = new FormData();
  form.set('code', new Blob([zipFolder(folder)]), `${sample.name}.zip`);
  await send(user, 'POST', `${base}/functions/${sample.name}/upload`, form);
  await send(user, 'POST', `${base}/triggers`, { name: sample.name, type: 'http', function: sample.name });
}

/** Whether the user still has that function. */
export async function hasSample(user: User, { name }: Sample): Promise<boolean> {
  const answer = await request(user, 'GET', `/v1/namespaces/${user.namespace}/functions/${name}`);
  await answer.body?.cancel();
  return answer.status === 200;
}

/** Waits until a sample is ready, or has failed, and calls it once. */
export async function callSample(user: User, { name }: Sample): Promise<Called> {
  await settled(user, name);
  const url = `${user.endpoint}/fn/${user.namespace}/${name}`;
  const until = performance.now() + CALL_MS;
  for (;;) {
    const started = performance.now();
    const response = await fetch(url, { signal: user.signal });
    await response.arrayBuffer();
    const milliseconds = Math.round(performance.now() - started);
    // Its route may not be known yet; any other answer is the function's own.
    const early = [404, 502, 503].includes(response.status) && performance.now() < until;
    if (!early) return { url, status: response.status, milliseconds };
    await sleep(POLL_MS, undefined, { signal: user.signal });
  }
}

async function settled(user: User, name: string): Promise<void> {
  const until = performance.now() + READY_MS;
  while (performance.now() < until) {
    const answer = await request(user, 'GET', `/v1/namespaces/${user.namespace}/functions/${name}`);
    const { phase } = functionSchema.parse(await answer.json());
    if (phase === 'Ready' || phase === 'Failed') return;
    await sleep(POLL_MS, undefined, { signal: user.signal });
  }
}

/** A change that may have been made already by a start that was cut short. */
async function send(user: User, method: string, path: string, body?: FormData | object): Promise<void> {
  const answer = await request(user, method, path, body);
  const text = await answer.text();
  if (!answer.ok && answer.status !== 409)
    throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
}

function request(user: User, method: string, path: string, body?: FormData | object): Promise<Response> {
  const json = body !== undefined && !(body instanceof FormData);
  return fetch(`${user.endpoint}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${user.token}`,
      ...(json ? { 'content-type': 'application/json' } : {}),
    },
    ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : body }),
    signal: user.signal,
  });
}
