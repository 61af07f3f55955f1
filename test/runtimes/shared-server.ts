import { afterAll, beforeAll, expect } from 'vitest';
import type { Subject } from './cases.ts';
import { eventually, type Served, serve, stop } from './server.ts';

/** The behaviours' server of a suite: started before its tests and ended after them. */
export interface SharedServer {
  port(): number;
  output(): string;
  pid(): number;
  /** Waits for words in the log. */
  logged(words: string): Promise<void>;
}

export function sharedServer(subject: Subject, env: Readonly<Record<string, string>> = {}): SharedServer {
  let served: Served | undefined;
  beforeAll(async () => {
    served = await serve(subject.runtime, {
      folder: subject.folder('behaviours'),
      entrypoint: 'behaviours.handle',
      env,
    });
  });
  afterAll(() => stop(served));
  const running = (): Served => {
    if (served === undefined) throw new Error('the server has not been started');
    return served;
  };
  return {
    port: () => running().port,
    output: () => running().output(),
    pid: () => running().child.pid ?? 0,
    logged: (words) => logged(running(), words),
  };
}

/** Waits for words in a process's log. */
export async function logged(running: { output(): string }, words: string): Promise<void> {
  const found = await eventually(() => running.output().includes(words));
  expect(found, `${words} in the log:\n${running.output().slice(-4000)}`).toBe(true);
}
