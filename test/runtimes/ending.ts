import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { missing, type Subject } from './cases.ts';
import { eventually, health, type Served, serve, start, stop } from './server.ts';
import { logged } from './shared-server.ts';
import { call, json, requestBytes, Wire } from './wire.ts';

const UNSHARE = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child'];

export function endingSuite(subject: Subject): void {
  describe('SIGTERM', () => {
    let served: Served | undefined;
    afterEach(() => stop(served));
    const begin = async (
      env: Record<string, string> = {},
      wrapper: readonly string[] = [],
    ): Promise<Served> => {
      served = await serve(subject.runtime, {
        folder: subject.folder('behaviours'),
        entrypoint: 'behaviours.handle',
        env,
        wrapper,
      });
      return served;
    };

    test('ends an idle server at once with 0, closing idle connections', async () => {
      const server = await begin();
      const fresh = await Wire.open(server.port);
      const used = await Wire.open(server.port);
      used.send(requestBytes({ path: '/text' }));
      await used.response();
      server.child.kill('SIGTERM');
      for (const wire of [fresh, used]) {
        expect((await wire.untilClosed()).length).toBe(0);
        wire.destroy();
      }
      expect(await server.exited).toEqual({ code: 0, signal: null });
    });

    test('serves what arrives in the moment of the end, and tells its callers that the connection ends', async () => {
      const server = await begin();
      const watching = await Wire.open(server.port);
      const fresh = await Wire.open(server.port);
      const used = await Wire.open(server.port);
      used.send(requestBytes({ path: '/text' }));
      await used.response();
      const ask = async (wire: Wire, path: string): Promise<number> => {
        wire.send(requestBytes({ path }));
        return (await wire.response()).status;
      };
      expect(await ask(watching, '/_sless/health')).toBe(200);
      server.child.kill('SIGTERM');
      while ((await ask(watching, '/_sless/health')) === 200);
      const late = await Wire.open(server.port);
      for (const wire of [used, fresh, late]) wire.send(requestBytes({ path: '/text' }));
      for (const wire of [used, fresh, late]) {
        const response = await wire.response();
        expect(response.status).toBe(200);
        expect(response.headers.get('connection')).toEqual(['close']);
        wire.destroy();
      }
      watching.destroy();
      expect(await server.exited).toEqual({ code: 0, signal: null });
    });

    test('lets running calls and streams finish, then ends with 0', async () => {
      const server = await begin();
      const until = subject.freshPath();
      const idle = await Wire.open(server.port);
      const calls = await Promise.all(
        ['/wait', '/wait-blocking', '/stream'].map(async (path) => {
          const wire = await Wire.open(server.port);
          wire.send(requestBytes({ ...call(path, { until }), headers: { 'x-request-id': `busy ${path}` } }));
          return wire;
        }),
      );
      await logged(server, 'waiting busy /wait\n');
      await logged(server, 'waiting busy /wait-blocking\n');
      const [first, second, stream] = calls as [Wire, Wire, Wire];
      await stream.head();
      expect((await stream.chunk())?.toString()).toBe('one\n');
      server.child.kill('SIGTERM');
      await idle.untilClosed();
      expect(await health(server.port)).toBeUndefined();
      writeFileSync(until, '');
      for (const wire of [first, second]) {
        const response = await wire.response();
        expect(json(response)).toBe('waited');
        expect(response.headers.get('connection')).toEqual(['close']);
      }
      expect((await stream.chunk())?.toString()).toBe('two\n');
      expect(await stream.chunk()).toBeUndefined();
      for (const wire of [idle, ...calls]) wire.destroy();
      expect(await server.exited).toEqual({ code: 0, signal: null });
    });

    test('waits no longer than the grace for what does not end', async () => {
      const server = await begin({ SLESS_GRACE_SECONDS: '1' });
      const wire = await Wire.open(server.port);
      wire.send(requestBytes(call('/wait-blocking', { until: subject.freshPath() })));
      await logged(server, 'waiting');
      server.child.kill('SIGTERM');
      expect((await server.exited).code).toBe(1);
      await logged(server, 'cut off');
      wire.destroy();
    });

    test('does not wait for a call that has been given up', async () => {
      const server = await begin({ SLESS_TIMEOUT_SECONDS: '1' });
      const wire = await Wire.open(server.port);
      wire.send(requestBytes(call('/wait-blocking', { until: subject.freshPath() })));
      expect((await wire.response()).status).toBe(504);
      server.child.kill('SIGTERM');
      expect(await server.exited).toEqual({ code: 0, signal: null });
    });

    test('a second time ends at once, as does SIGINT after it', async () => {
      const server = await begin();
      const wire = await Wire.open(server.port);
      wire.send(requestBytes(call('/wait', { until: subject.freshPath() })));
      await logged(server, 'waiting');
      server.child.kill('SIGTERM');
      expect(await eventually(async () => (await health(server.port)) === undefined)).toBe(true);
      server.child.kill('SIGINT');
      expect((await server.exited).code).toBe(1);
      wire.destroy();
    });

    const reason = missing([...UNSHARE, 'true']);
    if (reason !== undefined) console.warn(`SKIPPED: as process 1: unshare does not work here (${reason})`);
    test.skipIf(reason !== undefined)('is obeyed as process 1 of its namespace, idle and busy', async () => {
      const idle = await begin({}, UNSHARE);
      process.kill(childOf(idle), 'SIGTERM');
      expect(await idle.exited).toEqual({ code: 0, signal: null });
      const busy = await begin({}, UNSHARE);
      const until = subject.freshPath();
      const wire = await Wire.open(busy.port);
      wire.send(requestBytes(call('/wait', { until })));
      await logged(busy, 'waiting');
      process.kill(childOf(busy), 'SIGTERM');
      expect(await eventually(async () => (await health(busy.port)) === undefined)).toBe(true);
      writeFileSync(until, '');
      expect(json(await wire.response())).toBe('waited');
      wire.destroy();
      expect(await busy.exited).toEqual({ code: 0, signal: null });
    });
  });

  describe('the port', () => {
    test('when taken ends the process, and it says which', async () => {
      const options = { folder: subject.folder('behaviours'), entrypoint: 'behaviours.handle' };
      const first = await serve(subject.runtime, options);
      const second = start(subject.runtime, { ...options, env: { PORT: String(first.port) } });
      expect((await second.exited).code).not.toBe(0);
      expect(second.output()).toContain(String(first.port));
      await stop(first);
    });
  });
}

/** The process that `unshare` forked: number 1 of its own namespace, and known to ours by another. */
function childOf(served: Served): number {
  const { pid } = served.child;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
