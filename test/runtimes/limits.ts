import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Subject } from './cases.ts';
import { eventually, health } from './server.ts';
import { type SharedServer, sharedServer } from './shared-server.ts';
import { ask, call, json, requestBytes, Wire, type WireRequest } from './wire.ts';

export function limitsSuite(subject: Subject): void {
  describe('the limit of calls at once', () => {
    const server = sharedServer(subject, { SLESS_CONCURRENCY: '2' });

    test('answers 429 beyond it, and serves again when a call has ended', async () => {
      const until = subject.freshPath();
      const running = ['first', 'second'].map((id) =>
        ask(server.port(), waiting('/wait-blocking', { until, id })),
      );
      await server.logged('waiting first');
      await server.logged('waiting second');
      const refused = await ask(server.port(), { path: '/text' });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toEqual(['1']);
      expect(refused.headers.get('x-sless-busy')).toEqual(['1']);
      expect(json(refused)).toMatchObject({ code: 'TooManyRequests' });
      expect(await health(server.port())).toBe(200);
      writeFileSync(until, '');
      for (const response of await Promise.all(running)) expect(json(response)).toBe('waited');
      expect((await ask(server.port(), { path: '/text' })).status).toBe(200);
    });

    test('counts streams until they end', async () => {
      const until = subject.freshPath();
      const streams = [await Wire.open(server.port()), await Wire.open(server.port())];
      for (const wire of streams) {
        wire.send(requestBytes(call('/stream', { until })));
        await wire.head();
        expect((await wire.chunk())?.toString()).toBe('one\n');
      }
      expect((await ask(server.port(), { path: '/text' })).status).toBe(429);
      writeFileSync(until, '');
      for (const wire of streams) {
        expect((await wire.chunk())?.toString()).toBe('two\n');
        expect(await wire.chunk()).toBeUndefined();
        wire.destroy();
      }
      expect(await serves(server)).toBe(true);
    });

    test('gives back the places of calls that fail', async () => {
      for (let round = 0; round < 5; round++) {
        expect((await ask(server.port(), { path: '/fail' })).status).toBe(500);
        expect((await ask(server.port(), { path: '/stream-fail-first' })).status).toBe(500);
        expect((await ask(server.port(), { ...call('/echo', 1), body: '{' })).status).toBe(400);
      }
      expect((await ask(server.port(), { path: '/text' })).status).toBe(200);
    });
  });

  describe('the time limit', () => {
    const server = sharedServer(subject, { SLESS_TIMEOUT_SECONDS: '1', SLESS_CONCURRENCY: '2' });

    test.each(['/wait', '/wait-blocking'])('answers 504 for %s, and the connection ends', async (path) => {
      const until = subject.freshPath();
      const started = Date.now();
      const response = await ask(server.port(), waiting(path, { until, id: `late ${path}` }));
      expect(response.status).toBe(504);
      expect(json(response)).toEqual({ error: expect.stringContaining(': 1 s'), code: 'FunctionTimeout' });
      expect(response.headers.get('connection')).toEqual(['close']);
      expect(Date.now() - started).toBeGreaterThanOrEqual(990);
      expect(Date.now() - started).toBeLessThan(10_000);
      writeFileSync(until, '');
    });

    test('is what the platform leaves it, where that is less', async () => {
      const until = subject.freshPath();
      const request = waiting('/wait-blocking', { until, id: 'little left' });
      const started = Date.now();
      const headers = { ...request.headers, 'x-sless-timeout-ms': '200' };
      expect((await ask(server.port(), { ...request, headers })).status).toBe(504);
      expect(Date.now() - started).toBeLessThan(1000);
      writeFileSync(until, '');
    });

    test('that has passed before the call begins spares the function', async () => {
      const headers = { 'x-sless-timeout-ms': '0', 'content-type': 'application/json' };
      const response = await ask(server.port(), { path: '/print', headers, body: '{"text": "too late"}' });
      expect(response.status).toBe(504);
      expect(server.output()).not.toContain('printed too late');
    });
  });

  describe('a call past its time limit', () => {
    const server = sharedServer(subject, { SLESS_TIMEOUT_SECONDS: '1', SLESS_CONCURRENCY: '2' });

    test('keeps its place while it goes on; when all places are so, health says it', async () => {
      const until = subject.freshPath();
      const calls = ['stuck 1', 'stuck 2'].map((id) =>
        ask(server.port(), waiting('/wait-blocking', { until, id })),
      );
      for (const response of await Promise.all(calls)) expect(response.status).toBe(504);
      expect((await ask(server.port(), { path: '/text' })).status).toBe(429);
      expect(await health(server.port())).toBe(503);
      writeFileSync(until, '');
      expect(await serves(server)).toBe(true);
      expect(await health(server.port())).toBe(200);
    });
  });

  describe('many calls at once', () => {
    const server = sharedServer(subject);

    test('do not mix up their answers', async () => {
      const ids = Array.from({ length: 60 }, (_, index) => index);
      const answers = await Promise.all(
        ids.map((id) => ask(server.port(), call(id % 2 === 0 ? '/echo' : '/echo-later', { id }))),
      );
      expect(answers.map(json)).toEqual(ids.map((id) => ({ id })));
    });
  });
}

function waiting(path: string, { until, id }: { until: string; id: string }): WireRequest {
  return withId(call(path, { until }), id);
}

function withId(request: WireRequest, id: string): WireRequest {
  return { ...request, headers: { ...request.headers, 'x-request-id': id } };
}

function serves(server: SharedServer): Promise<boolean> {
  return eventually(async () => (await ask(server.port(), { path: '/text' })).status === 200);
}
