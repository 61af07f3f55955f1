import { describe, expect, test } from 'vitest';
import type { Subject } from './cases.ts';
import { sharedServer } from './shared-server.ts';
import { ask, json, Wire, type WireRequest } from './wire.ts';

export function contextSuite(subject: Subject): void {
  describe('the context', () => {
    const server = sharedServer(subject, {
      SLESS_FUNCTION: 'greeter',
      SLESS_NAMESPACE: 'tenant',
      SLESS_TIMEOUT_SECONDS: '7',
    });
    const contextOf = async (request: WireRequest): Promise<Record<string, unknown>> =>
      // The fixture answers an object.
      json(await ask(server.port(), { path: '/context', ...request })) as Record<string, unknown>;

    test('tells of the request', async () => {
      const body = Buffer.from([0xff, 1]);
      const path = '/context?x=1&x=2&y=a%20b';
      const context = await contextOf({ method: 'PROPFIND', path, headers: { 'X-Some': ' one ' }, body });
      expect(context).toMatchObject({
        method: 'PROPFIND',
        path: '/context',
        query: { x: ['1', '2'], y: 'a b' },
        headers: { host: 'test', 'x-some': 'one', 'content-length': '2' },
        bodyHex: 'ff01',
        function: 'greeter',
        namespace: 'tenant',
        trigger: 'http',
        triggerName: null,
        message: null,
      });
    });

    test('has a deadline by the time limit, in milliseconds since 1970', async () => {
      const before = Date.now();
      const { deadline } = await contextOf({});
      expect(deadline).toBeGreaterThanOrEqual(before + 7000 - 1000);
      expect(deadline).toBeLessThanOrEqual(Date.now() + 7000);
    });

    test.each([
      ['3000', 3000],
      ['100000', 7000],
    ])(
      'has a deadline by its own clock from x-sless-timeout-ms: %s, where that is less',
      async (left, ms) => {
        const before = Date.now();
        const { deadline } = await contextOf({ headers: { 'x-sless-timeout-ms': left } });
        expect(deadline).toBeGreaterThanOrEqual(before + ms - 1);
        expect(deadline).toBeLessThanOrEqual(Date.now() + ms);
      },
    );

    test('passes on the request id, or has one of its own', async () => {
      expect(await contextOf({ headers: { 'x-request-id': 'abc' } })).toMatchObject({ requestId: 'abc' });
      const [first, second] = [await contextOf({}), await contextOf({})];
      expect(first.requestId).toMatch(/^[-0-9a-f]{32,36}$/);
      expect(first.requestId).not.toBe(second.requestId);
    });

    const TRACE = '0af7651916cd43dd8448eb211c80319c';
    test.each([
      [`00-${TRACE}-b7ad6b7169203331-01`, TRACE],
      [`01-${TRACE}-b7ad6b7169203331-01-later`, TRACE],
      [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, null],
      [`00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`, null],
      [`00-${TRACE}`, null],
      ['x', null],
    ])('names the trace of %s: %s', async (traceparent, traceId) => {
      expect(await contextOf({ headers: { traceparent } })).toMatchObject({ traceId });
    });

    test('of a call without a trace names none', async () => {
      expect(await contextOf({})).toMatchObject({ traceId: null });
    });

    test.each(['cron', 'event', 'job', 'http'])('names the trigger %s', async (trigger) => {
      const headers = { 'x-sless-trigger': trigger, 'x-sless-trigger-name': 'nightly' };
      expect(await contextOf({ headers })).toMatchObject({ trigger, triggerName: 'nightly' });
    });

    test('takes a trigger that does not exist for http', async () => {
      expect(await contextOf({ headers: { 'x-sless-trigger': 'root' } })).toMatchObject({ trigger: 'http' });
    });

    test('holds the message, decoded', async () => {
      const message = { exchange: 'ж', headers: { a: [1, null] }, redelivered: false };
      const encoded = Buffer.from(JSON.stringify(message)).toString('base64url');
      expect(await contextOf({ headers: { 'x-sless-message': encoded } })).toMatchObject({ message });
    });

    test.each([
      ['x-sless-message', '%%%'],
      ['x-sless-message', Buffer.from('{"a"').toString('base64url')],
      ['x-sless-timeout-ms', 'soon'],
      ['x-sless-timeout-ms', '-1'],
      ['x-sless-timeout-ms', '²'],
    ])('refuses the header %s: %s', async (name, value) => {
      const response = await ask(server.port(), { path: '/context', headers: { [name]: value } });
      expect(response.status).toBe(400);
      expect(json(response)).toEqual({ error: expect.stringContaining(name), code: 'InvalidRequest' });
    });

    test('joins repeated headers; of those that cannot be joined the first counts', async () => {
      const wire = await Wire.open(server.port());
      const lines = ['X-A: 1', 'x-a: 2', 'Cookie: a=1', 'Cookie: b=2', 'User-Agent: one', 'User-Agent: two'];
      wire.send(`GET /context HTTP/1.1\r\nHost: test\r\n${lines.join('\r\n')}\r\n\r\n`);
      const { headers } = json(await wire.response()) as { headers: unknown };
      wire.destroy();
      expect(headers).toMatchObject({ 'x-a': '1, 2', cookie: 'a=1; b=2', 'user-agent': 'one' });
    });
  });

  describe('the path', () => {
    const server = sharedServer(subject);

    // The behaviours know no such path: what they were asked for stands in the log.
    test.each(['/a%2Fb', '/a//b/../c', '/%zz', '/_sless', '/_slessx/health'])(
      '%s reaches the function as it was sent',
      async (path) => {
        const response = await ask(server.port(), { path, headers: { 'x-request-id': 'unknown path' } });
        expect(response.status).toBe(500);
        await server.logged('unknown path');
      },
    );

    test('is taken out of an absolute target', async () => {
      const wire = await Wire.open(server.port());
      wire.send('GET http://elsewhere:81/context?a=1 HTTP/1.1\r\nHost: test\r\n\r\n');
      expect(json(await wire.response())).toMatchObject({ path: '/context', query: { a: '1' } });
      wire.destroy();
    });
  });
}
