import type { ApiFunction } from './api-types.ts';
import type { Client } from './client.ts';
import { CliFailure, EXIT } from './failure.ts';
import type { World } from './world.ts';

interface Wait {
  readonly name: string;
  /** What it is to be Ready with; another upload in between ends the wait with an error. */
  readonly key: string;
  readonly withinMs: number;
  /** Told of each new phase and message. */
  readonly onChange: (shown: ApiFunction) => void;
}

/** Soon at first: code without dependencies is ready within a second on a machine of one's own. */
const POLL_MS = [100, 200, 300, 500, 1000];

/** Waits until the function is Ready with this very code. */
export async function untilReady(
  client: Client,
  world: Pick<World, 'sleep' | 'now'>,
  wait: Wait,
): Promise<ApiFunction> {
  const until = world.now() + wait.withinMs;
  let last = '';
  for (let polls = 0; ; polls++) {
    const shown = await client.ask<ApiFunction>('GET', `/functions/${wait.name}`);
    if (shown.s3_key !== wait.key)
      throw new CliFailure('somebody else uploaded other code meanwhile', EXIT.conflict);
    const state = `${shown.phase} ${shown.message ?? ''}`;
    if (state !== last) wait.onChange(shown);
    last = state;
    if (shown.phase === 'Ready') return shown;
    if (shown.phase === 'Failed') throw new CliFailure(shown.message || 'the function failed without a word');
    if (world.now() > until)
      throw new CliFailure(
        `not ready after ${Math.round(wait.withinMs / 1000)} s (${shown.phase}: ${shown.message})`,
        EXIT.timedOut,
      );
    await world.sleep(POLL_MS[Math.min(polls, POLL_MS.length - 1)] ?? 1000);
  }
}
