import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { Subject } from './cases.ts';
import { type Running, start, stop } from './server.ts';
import { logged } from './shared-server.ts';

/** What Kubernetes keeps of a termination message. */
const MAX_RESULT = 4096;

export function onceSuite(subject: Subject): void {
  describe.concurrent('once', () => {
    const started: Running[] = [];
    afterAll(() => Promise.all(started.map(stop)));

    const begin = (name: string, event: string, env: Record<string, string> = {}) => {
      const [eventFile, resultFile] = [subject.freshPath(), subject.freshPath()];
      writeFileSync(eventFile, event);
      const files = { SLESS_EVENT_FILE: eventFile, SLESS_RESULT_FILE: resultFile };
      const running = start(subject.runtime, {
        folder: subject.folder('behaviours'),
        entrypoint: `behaviours.${name}`,
        env: { ...files, ...env },
      });
      started.push(running);
      return {
        running,
        result: () => (existsSync(resultFile) ? readFileSync(resultFile, 'utf8') : undefined),
      };
    };
    const run = async (name: string, event: string, env: Record<string, string> = {}) => {
      const begun = begin(name, event, env);
      const { code } = await begun.running.exited;
      return { code, result: begun.result(), output: begun.running.output() };
    };

    test.each(['{"a":["ж",1.5,null]}', '[]', '"text"', 'null', '0'])(
      'writes the result %s and ends with 0',
      async (result) => {
        expect(await run('job_result', `{"result": ${result}}`)).toMatchObject({ code: 0, result });
      },
    );

    test('gives the context of a job', async () => {
      expect(await run('job_context', '{}')).toMatchObject({
        code: 0,
        result: '{"trigger":"job","method":"POST"}',
      });
    });

    test('ends with 1 when the function throws; result and log say why', async () => {
      const { code, result, output } = await run('job_fail', '{}');
      expect(code).toBe(1);
      expect(JSON.parse(result ?? '')).toEqual({
        error: expect.stringContaining('broken run'),
        code: 'FunctionError',
      });
      expect(output).toContain('behaviours.');
    });

    test.each([
      [200, 0],
      [399, 0],
      [400, 1],
      [503, 1],
    ])('takes an answer with the status %d for the outcome %d', async (statusCode, code) => {
      const answer = { statusCode, body: 'said' };
      const ended = await run('job_result', JSON.stringify({ result: answer }));
      expect(ended.code).toBe(code);
      expect(JSON.parse(ended.result ?? '')).toEqual(answer);
    });

    test('takes too long: 1, and the result says so', async () => {
      const { code, result } = await run('job_wait', '{}', { SLESS_TIMEOUT_SECONDS: '1' });
      expect(code).toBe(1);
      expect(JSON.parse(result ?? '')).toMatchObject({ code: 'FunctionTimeout' });
    });

    test('is stopped by SIGTERM, and the result says so', async () => {
      const { running, result } = begin('job_wait', '{}');
      await logged(running, 'job waits');
      running.child.kill('SIGTERM');
      expect((await running.exited).code).toBe(143);
      expect(JSON.parse(result() ?? '')).toMatchObject({ code: 'FunctionError' });
    });

    test.each([MAX_RESULT - 3, MAX_RESULT - 2, MAX_RESULT - 1, 5000, 100_000])(
      'keeps a text of %d letters within 4 KiB, and says when it was cut',
      async (length) => {
        const { code, result = '' } = await run('job_result', JSON.stringify({ result: 'x'.repeat(length) }));
        expect(code).toBe(0);
        expect(Buffer.byteLength(result)).toBeLessThanOrEqual(MAX_RESULT);
        if (length <= MAX_RESULT - 2) expect(JSON.parse(result)).toBe('x'.repeat(length));
        else expect(JSON.parse(result)).toMatchObject({ truncated: true, bytes: length + 2 });
      },
    );

    test.each(['ж', '🦔', '"', '\\', '\u0001'])('cuts a result of %j between characters', async (letter) => {
      const { result = '' } = await run('job_result', JSON.stringify({ result: letter.repeat(5000) }));
      expect(Buffer.byteLength(result)).toBeLessThanOrEqual(MAX_RESULT);
      // Not so small that nothing would be left of it.
      expect(Buffer.byteLength(result)).toBeGreaterThan(MAX_RESULT / 2);
      const { head } = JSON.parse(result) as { head: string };
      expect(JSON.stringify(letter.repeat(5000)).startsWith(head)).toBe(true);
    });

    test('joins a stream, and writes bytes as base64', async () => {
      expect(await run('job_stream', '{}')).toMatchObject({ code: 0, result: '"abc"' });
      expect(await run('job_bytes', '{}')).toMatchObject({ code: 0, result: '{"base64":"//4="}' });
    });

    test('refuses an event that is not JSON', async () => {
      const { code, result } = await run('job_result', '{"a":');
      expect(code).toBe(1);
      expect(JSON.parse(result ?? '')).toMatchObject({ code: 'InvalidRequest' });
    });

    test('takes an empty event for no fields', async () => {
      expect(await run('job_context', '')).toMatchObject({ code: 0 });
    });
  });
}
