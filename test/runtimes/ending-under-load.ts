import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createPodInvoker } from '../../src/adapters/pod-invoker.ts';
import { isSlessError } from '../../src/errors.ts';
import type { Subject } from './cases.ts';
import { eventually, health, type Served, serve, stop } from './server.ts';

const AT_ONCE = 8;
const NAMES = ['ns', 'fn'] as const;

/** A runtime and the client of proxy and dispatcher, which learns late that the pod has gone. */
export function endingUnderLoadSuite(subject: Subject): void {
  describe('SIGTERM under load', () => {
    let served: Served | undefined;
    afterEach(() => stop(served));

    test('every call is answered, or was refused before a byte of it was sent', async () => {
      const server = await serve(subject.runtime, {
        folder: subject.folder('behaviours'),
        entrypoint: 'behaviours.handle',
        env: {},
      });
      served = server;
      const client = createPodInvoker({ monotonic: performance, random: Math.random });
      client.pods.update(...NAMES, [{ id: 'pod', address: '127.0.0.1', port: server.port }]);
      const failures: unknown[] = [];
      let answered = 0;
      let ending = false;
      const caller = async (): Promise<void> => {
        // Nothing that may be sent twice: what a POST became of is known from its answer alone.
        const call = { namespace: NAMES[0], function: NAMES[1], method: 'POST', path: '/echo' };
        const body = Buffer.from(JSON.stringify(randomUUID()));
        for (;;) {
          try {
            const { status } = await client.invoker.invoke({ ...call, headers: {}, body, timeoutMs: 10_000 });
            if (status === 200) answered += 1;
            else failures.push(status);
          } catch (error) {
            failures.push(error);
            if (ending) return;
          }
        }
      };
      const callers = Array.from({ length: AT_ONCE }, caller);
      expect(await eventually(async () => answered > 100)).toBe(true);
      server.child.kill('SIGTERM');
      expect(await eventually(async () => (await health(server.port)) !== 200)).toBe(true);
      ending = true;
      client.pods.update(...NAMES, []);
      await Promise.all(callers);
      client.close();
      expect(failures.filter((error) => !isSlessError(error, 'UpstreamUnreachable'))).toEqual([]);
      expect(await server.exited).toEqual({ code: 0, signal: null });
    });
  });
}
