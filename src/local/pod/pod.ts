import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { formatTime } from '../../resources/kube/time.ts';
import type { Command } from '../process/guarded.ts';
import { LogFile } from '../process/log-file.ts';
import { createBackOff } from './back-off.ts';
import { runtimeOf, serverCommand } from './command.ts';
import { containerEnv } from './container-env.ts';
import { type ContainerRun, runContainer } from './container-run.ts';
import { missingImage } from './missing-image.ts';
import type { PodDeps } from './pod-deps.ts';
import type { Container, PodSpec } from './pod-spec.ts';
import type { ContainerState, Terminated } from './pod-status.ts';
import { podView } from './pod-view.ts';
import { createPodPublisher, type PodPublisher } from './publisher.ts';
import { pause, watchReadiness } from './readiness.ts';

/** How a pod ends. */
export interface PodStop {
  readonly graceMs?: number;
  /** Whether it is to go on after the next start: its Pod then stays in the cluster. */
  readonly keep?: boolean;
}

/** Two of them for each container: 4 MiB. */
const MAX_LOG_BYTES = 2 * 1024 * 1024;
/** The proxy learns of the end of a pod within milliseconds, so none of the cluster's three seconds is needed here. */
const DRAIN_MS = 250;
/** What is missing (an image, a Secret) is looked for again after this, and when something changes. */
const MISSING_MS = 2000;
/** A port that someone took between the choice and the use is no fault of the function: this many are tried. */
const PORT_TRIES = 3;
const PORT_TAKEN = /EADDRINUSE|address already in use/i;

/** One pod of a Deployment: a process that is started, watched, started again when it ends, and ended with grace. */
export class LocalPod {
  readonly name: string;
  readonly createdAt: number;
  readonly #deps: PodDeps;
  readonly #object: KubeObject;
  readonly #container: Container;
  readonly #graceMs: number;
  readonly #publisher: PodPublisher;
  readonly #log: LogFile;
  readonly #onChange: () => void;
  readonly #backOff = createBackOff();
  readonly #ending = new AbortController();
  #changed = new AbortController();
  #state: ContainerState = { waiting: { reason: 'ContainerCreating' } };
  #last: Terminated | undefined;
  #restarts = 0;
  #port: number | undefined;
  #run: ContainerRun | undefined;
  #ready = false;
  #readySince: number;
  #life: Promise<void> | undefined;

  /** `object` is the Pod to be created, or that of an earlier run; `onChange` hears of changes of readiness and of its end. */
  constructor(deps: PodDeps, object: KubeObject, onChange: () => void) {
    const spec = object.spec as PodSpec; // made by the operator from its own types and admitted by the cluster
    const container = spec.containers[0];
    if (container === undefined) throw new Error(`the pod ${object.metadata.name} has no container`);
    this.name = object.metadata.name;
    const now = deps.clock.now();
    this.createdAt = Date.parse(object.metadata.creationTimestamp ?? '') || now;
    this.#deps = deps;
    this.#object = object;
    this.#container = container;
    this.#graceMs = (spec.terminationGracePeriodSeconds ?? 30) * 1000;
    this.#publisher = createPodPublisher(deps, object);
    this.#onChange = onChange;
    this.#readySince = now;
    const { namespace = '' } = object.metadata;
    const path = join(deps.logsFolder, namespace, this.name, `${container.name}.log`);
    this.#log = new LogFile({ path, maxBytes: MAX_LOG_BYTES });
  }

  get ready(): boolean {
    return this.#ready && !this.ending;
  }

  get ending(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Whether it has run into something that only a change can mend. */
  get failing(): boolean {
    return 'waiting' in this.#state && this.#state.waiting.reason !== 'ContainerCreating';
  }

  start(): void {
    this.#life ??= this.#live();
    this.#publish();
  }

  /** Something that it may be waiting for has changed. */
  poke(): void {
    this.#changed.abort();
  }

  /** Ends it: no new calls, then SIGTERM, then after the grace SIGKILL. Its objects are gone when this resolves, unless kept. */
  async stop({ graceMs = this.#graceMs, keep = false }: PodStop = {}): Promise<void> {
    const kept = keep && !this.ending;
    if (!this.ending) {
      const served = this.#ready;
      this.#ending.abort();
      this.#publish();
      await this.#publisher.settled();
      if (served) await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
      this.#run?.kill('SIGTERM');
    }
    const killer = setTimeout(() => this.#run?.kill('SIGKILL'), graceMs);
    await this.#life;
    clearTimeout(killer);
    this.#log.destroy();
    await (kept ? this.#publisher.leave() : this.#publisher.remove());
    await rm(this.#temporary, { recursive: true, force: true });
    this.#onChange();
  }

  get #temporary(): string {
    return join(this.#deps.temporaryFolder, this.name);
  }

  async #live(): Promise<void> {
    while (!this.ending) {
      try {
        await mkdir(this.#temporary, { recursive: true, mode: 0o700 });
        const ended = await this.#runOnce();
        if (ended !== undefined && !this.ending) await this.#backOffAfter(ended);
      } catch (error) {
        // The machine itself is in the way: no more processes, a full disk. That passes.
        this.#deps.logger.error({ err: error, pod: this.name }, 'a container could not be started');
        this.#changed = new AbortController();
        await this.#miss('RunContainerError', error instanceof Error ? error.message : String(error));
      }
    }
  }

  async #backOffAfter({ terminated, ranMs }: { terminated: Terminated; ranMs: number }): Promise<void> {
    const delayMs = this.#backOff.next(ranMs);
    this.#last = terminated;
    this.#restarts += 1;
    const message = `back-off ${delayMs} ms restarting the container`;
    this.#set({ waiting: { reason: 'CrashLoopBackOff', message } });
    await pause(delayMs, this.#ending.signal);
  }

  /** One run of the container; `undefined` when there was none that counts. */
  async #runOnce(): Promise<{ terminated: Terminated; ranMs: number } | undefined> {
    for (let attempt = 1; ; attempt++) {
      const port = await this.#deps.ports.take();
      try {
        const command = await this.#prepare(port);
        if (command === undefined || this.ending) return undefined;
        const terminated = await this.#runOn(port, command);
        const unlucky = terminated.exitCode !== 0 && PORT_TAKEN.test(this.#log.tail());
        if (unlucky && attempt < PORT_TRIES && !this.ending) continue;
        return { terminated, ranMs: this.#deps.clock.now() - (this.#run?.startedAt ?? 0) };
      } finally {
        this.#deps.ports.giveBack(port);
      }
    }
  }

  async #runOn(port: number, command: Command): Promise<Terminated> {
    const run = runContainer(this.#deps, command, this.#log);
    this.#deps.images.holdWhile(this.#container.image, run.ended);
    const over = new AbortController();
    this.#run = run;
    this.#port = port;
    this.#set({ running: { startedAt: formatTime(run.startedAt) } });
    const signal = AbortSignal.any([over.signal, this.#ending.signal]);
    void watchReadiness(this.#container, port, { signal, onChange: (ready) => this.#setReady(ready) });
    const terminated = await run.ended;
    over.abort();
    this.#port = undefined;
    this.#ready = false;
    this.#set({ terminated });
    return terminated;
  }

  /** The command, or `undefined` while something is missing: then it has waited a while and said what. */
  async #prepare(port: number): Promise<Command | undefined> {
    this.#changed = new AbortController();
    const { images, runtimes, machinePath } = this.#deps;
    const image = await images.find(this.#container.image);
    const runtime = image && runtimeOf(runtimes, image.runtimeImage);
    const { image: name } = this.#container;
    if (image === undefined) return this.#miss('ErrImagePull', missingImage(this.#object, name));
    if (runtime === undefined) return this.#miss('ErrImagePull', `the runtime of ${name} cannot run here`);
    const env = await containerEnv(this.#container, (name) => this.#secret(name));
    if ('mistake' in env) return this.#miss('CreateContainerConfigError', env.mistake);
    const paths = { temporary: this.#temporary, logFile: this.#log.path, machinePath };
    return serverCommand({ image, runtime, env: env.env, port, ...paths });
  }

  async #miss(reason: string, message: string): Promise<undefined> {
    this.#set({ waiting: { reason, message } });
    await pause(MISSING_MS, AbortSignal.any([this.#ending.signal, this.#changed.signal]));
  }

  #secret(name: string, { namespace = '' } = this.#object.metadata): Promise<KubeObject | undefined> {
    return this.#deps.cluster.get({ kind: KINDS.Secret, namespace, name });
  }

  #setReady(ready: boolean): void {
    this.#ready = ready;
    this.#readySince = this.#deps.clock.now();
    this.#set(this.#state);
  }

  #set(state: ContainerState): void {
    this.#state = state;
    this.#publish();
    this.#onChange();
  }

  #publish(): void {
    this.#publisher.publish(
      podView({
        object: this.#object,
        container: this.#container,
        createdAt: this.createdAt,
        state: this.#state,
        last: this.#last,
        restarts: this.#restarts,
        ready: this.#ready,
        readySince: this.#readySince,
        port: this.#port,
        ending: this.ending,
      }),
    );
  }
}
