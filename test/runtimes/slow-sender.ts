import { beforeAll, describe, expect, test } from 'vitest';
import type { Subject } from './cases.ts';
import { sharedServer } from './shared-server.ts';
import { json, Wire } from './wire.ts';

/**
 * Begins a head at the very start and looks at the end, which comes after 15 s, when the other suites have run.
 *
 * @returns the suite that looks.
 */
export function slowSenderSuite(subject: Subject): () => void {
  const server = sharedServer(subject);
  let wire: Wire;
  let dripping: NodeJS.Timeout;
  beforeAll(async () => {
    wire = await Wire.open(server.port());
    wire.send('GET / HTTP/1.1\r\nX: ');
    // A byte now and then does not prolong it.
    dripping = setInterval(() => wire.send('x'), 500);
  });
  return () => {
    describe('a head that does not end', () => {
      test('is given up, and says so', async () => {
        const response = await wire.response();
        clearInterval(dripping);
        expect(response.status).toBe(408);
        expect(json(response)).toMatchObject({ code: 'RequestTimeout' });
        wire.finish();
        expect((await wire.untilClosed()).length).toBe(0);
      });
    });
  };
}
