import { createInterface } from 'node:readline';
import { spawnOn } from '../process.ts';
import type { Load, LoadResult } from './load.ts';

/** The process that makes load. */
export interface Loader {
  run(load: Load): Promise<LoadResult>;
  stop(): void;
}

export function startLoader(): Loader {
  const child = spawnOn(1, process.execPath, [`${import.meta.dirname}/loader.ts`]);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    async run({ request, ...load }) {
      child.stdin?.write(`${JSON.stringify({ ...load, request: request.toString('base64') })}\n`);
      const answer = JSON.parse((await lines.next()).value ?? '{"error":"the load process ended"}');
      if (answer.error !== undefined) throw new Error(`load: ${answer.error}`);
      return answer;
    },
    stop: () => {
      child.stdin?.end();
    },
  };
}
