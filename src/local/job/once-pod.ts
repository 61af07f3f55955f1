import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { formatTime } from '../../resources/kube/time.ts';
import { runtimeOf, serverCommand } from '../pod/command.ts';
import { containerEnv } from '../pod/container-env.ts';
import { runContainer } from '../pod/container-run.ts';
import { missingImage } from '../pod/missing-image.ts';
import type { Terminated } from '../pod/pod-status.ts';
import { pause } from '../pod/readiness.ts';
import type { Command } from '../process/guarded.ts';
import { LogFile } from '../process/log-file.ts';
import type { Job } from './job-spec.ts';
import type { JobDeps, PodEnd, PodRunner, PodWork } from './pod-run.ts';
import { createSinglePod, type SinglePod } from './single-pod.ts';

const MAX_LOG_BYTES = 2 * 1024 * 1024;
/** What is missing (the event, an image, a Secret) is looked for again after this. */
const MISSING_MS = 100;
/** What Kubernetes keeps of a termination message. */
const MAX_MESSAGE = 4096;
const EVENT_ENV = 'SLESS_EVENT_FILE';
const RESULT_ENV = 'SLESS_RESULT_FILE';

/** Runs of FunctionJobs: the runtime with the function in once mode, as a process of this machine. */
export const oncePods: PodRunner = {
  atOnce: 10,
  run: runOnce,
  // A pod does not begin without its event, as in a cluster.
  hasBegun: async (deps, job) => (await eventOf(deps, job)) !== undefined,
};

async function runOnce(deps: JobDeps, work: PodWork): Promise<PodEnd> {
  const pod = createSinglePod(deps, work);
  const temporary = join(deps.temporaryFolder, pod.name);
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  try {
    const command = await prepare(deps, pod, { ...work, temporary });
    if (command === undefined) return await pod.end(unbegun(deps));
    return await pod.end(await runProcess(deps, pod, { ...work, temporary, command }));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function unbegun({ clock }: JobDeps): Terminated {
  const now = formatTime(clock.now());
  return { exitCode: 143, reason: 'Error', startedAt: now, finishedAt: now };
}

interface Placed extends PodWork {
  /** The pod's own folder. */
  readonly temporary: string;
}

/** The command once nothing is missing any more; `undefined` when it is ended before. */
async function prepare(deps: JobDeps, pod: SinglePod, placed: Placed): Promise<Command | undefined> {
  let said = '';
  while (!placed.signal.aborted) {
    const found = await commandOf(deps, pod, placed);
    if (!('reason' in found)) return found;
    const { reason, message } = found;
    if (`${reason} ${message}` !== said) await pod.show({ waiting: { reason, message } });
    said = `${reason} ${message}`;
    await pause(MISSING_MS, placed.signal);
  }
  return undefined;
}

interface Missing {
  readonly reason: string;
  readonly message: string;
}

async function commandOf(
  deps: JobDeps,
  pod: SinglePod,
  { job, temporary }: Placed,
): Promise<Command | Missing> {
  const { images, runtimes, machinePath, cluster } = deps;
  const { container, namespace } = pod;
  const event = await eventOf(deps, job);
  if (event === undefined) return { reason: 'ContainerCreating', message: 'the event is not there yet' };
  const image = await images.find(container.image);
  const runtime = image && runtimeOf(runtimes, image.runtimeImage);
  if (image === undefined) return { reason: 'ErrImagePull', message: missingImage(job, container.image) };
  if (runtime === undefined)
    return { reason: 'ErrImagePull', message: `the runtime of ${container.image} cannot run here` };
  const env = await containerEnv(container, (name) => cluster.get({ kind: KINDS.Secret, namespace, name }));
  if ('mistake' in env) return { reason: 'CreateContainerConfigError', message: env.mistake };
  const files = { [EVENT_ENV]: join(temporary, 'event.json'), [RESULT_ENV]: resultFile(temporary) };
  await writeFile(files[EVENT_ENV], event);
  const paths = { temporary, logFile: logFile(deps, pod), machinePath };
  return serverCommand({ image, runtime, env: { ...env.env, ...files }, port: 0, ...paths });
}

const logFile = ({ logsFolder }: JobDeps, { namespace, name, container }: SinglePod): string =>
  join(logsFolder, namespace, name, `${container.name}.log`);

const resultFile = (temporary: string): string => join(temporary, 'termination-log');

/** The file of the ConfigMap that the pod mounts: a run has but one. */
async function eventOf({ cluster }: Pick<JobDeps, 'cluster'>, job: Job): Promise<Buffer | undefined> {
  const { namespace = '' } = job.metadata;
  const source = job.spec.template.spec.volumes?.find(({ configMap }) => configMap !== undefined)?.configMap;
  if (source === undefined) return undefined;
  const configMap: KubeObject | undefined = await cluster.get({
    kind: KINDS.ConfigMap,
    namespace,
    name: source.name,
  });
  const [content] = Object.values((configMap?.binaryData ?? {}) as Readonly<Record<string, string>>);
  return content === undefined ? undefined : Buffer.from(content, 'base64');
}

/** From here on nothing is thrown: whoever tried again would run the function twice. */
async function runProcess(
  deps: JobDeps,
  pod: SinglePod,
  { job, signal, temporary, command }: Placed & { readonly command: Command },
): Promise<Terminated> {
  const log = new LogFile({ path: logFile(deps, pod), maxBytes: MAX_LOG_BYTES });
  const run = runContainer(deps, command, log);
  deps.images.holdWhile(pod.container.image, run.ended);
  void pod.show({ running: { startedAt: formatTime(run.startedAt) } }).catch(() => {});
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    run.kill('SIGTERM');
    killer = setTimeout(
      () => run.kill('SIGKILL'),
      (job.spec.template.spec.terminationGracePeriodSeconds ?? 30) * 1000,
    );
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const terminated = await run.ended;
  signal.removeEventListener('abort', stop);
  clearTimeout(killer);
  log.destroy();
  const message = await readFile(resultFile(temporary), 'utf8').catch(() => '');
  return message === '' ? terminated : { ...terminated, message: message.slice(0, MAX_MESSAGE) };
}
