import type { IncomingMessage, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budget } from '../../../../test/fuzz/budget.ts';
import type { Admitted, BodyFraming } from '../admitted.ts';
import type { Route } from '../routes/route.ts';
import { requestHead } from './request-head.ts';

/** The head for a request with these lines, as node's parser hands them over. */
function headFor(rawHeaders: readonly string[], framing: BodyFraming, trusted: boolean): string[] {
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!;
    if (name === 'host') headers[name] ??= value;
    else headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const call: Admitted = {
    request: { method: 'POST', headers, rawHeaders: [...rawHeaders] } as unknown as IncomingMessage,
    response: {} as ServerResponse,
    route: { lines: 'X-Sless-Trigger: http\r\nX-Sless-Trigger-Name: t\r\n' } as Route,
    path: '/x',
    prefix: '/fn/ns/f',
    framing,
    uploader: undefined,
    peer: { address: '192.0.2.7', secure: false, trusted },
    requestId: 'ours',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    traced: false,
    span: undefined,
    sharedHost: true,
    expectsContinue: false,
    upgrade: undefined,
  };
  const head = requestHead(call);
  expect(head.endsWith('\r\n\r\n')).toBe(true);
  return head.slice(0, -4).split('\r\n');
}

const name = fc.oneof(
  fc.constantFrom(
    ...[
      'Host',
      'HOST',
      'Content-Length',
      'Transfer-Encoding',
      'Connection',
      'Keep-Alive',
      'TE',
      'Trailer',
      'Upgrade',
    ],
    ...[
      'X-Sless-Trigger',
      'x_sless_trigger',
      'X-Sless-X',
      'X-Forwarded-For',
      'X_Forwarded-For',
      'Forwarded',
      'X-Real-Ip',
    ],
    ...[
      'X-Request-Id',
      'x_request_id',
      'Expect',
      'traceparent',
      'tracestate',
      'Cookie',
      'X-Mine',
      'Proxy-Authorization',
    ],
  ),
  fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/),
);
const value = fc.oneof(
  fc.constantFrom(
    '',
    'close',
    'keep-alive',
    'host',
    'content-length, x-mine',
    'x-forwarded-for',
    'chunked',
    '5',
    'a b',
  ),
  fc.stringMatching(/^[\x21-\x7e\xa0-\xff]{0,20}$/),
);
const framings: BodyFraming[] = [{ kind: 'none' }, { kind: 'chunked' }, { kind: 'length', length: 7 }];

test('whatever a caller sends, there is one Host, one framing, and nobody speaks for the platform', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, value), { maxLength: 12 }),
      fc.constantFrom(...framings),
      fc.boolean(),
      (pairs, framing, trusted) => {
        const [line, ...fields] = headFor(pairs.flat(), framing, trusted);
        expect(line).toBe('POST /x HTTP/1.1');
        const named = (wanted: string): string[] =>
          fields.filter((field) => field.toLowerCase().replaceAll('_', '-').startsWith(`${wanted}:`));
        expect(named('host')).toHaveLength(1);
        expect(named('content-length')).toEqual(framing.kind === 'length' ? ['Content-Length: 7'] : []);
        expect(named('transfer-encoding')).toEqual(
          framing.kind === 'chunked' ? ['Transfer-Encoding: chunked'] : [],
        );
        expect(named('x-sless-trigger')).toEqual(['X-Sless-Trigger: http']);
        expect(fields.filter((field) => /^x[-_]sless[-_]/i.test(field))).toHaveLength(2);
        for (const hop of [
          'connection',
          'keep-alive',
          'te',
          'trailer',
          'upgrade',
          'expect',
          'proxy-authorization',
        ]) {
          expect(named(hop)).toEqual([]);
        }
        expect(named('x-request-id')).toEqual(['X-Request-Id: ours']);
        expect(named('traceparent')).toHaveLength(1);
        expect(named('x-forwarded-for')).toHaveLength(1);
        if (!trusted) {
          expect(named('x-forwarded-for')).toEqual(['X-Forwarded-For: 192.0.2.7']);
          expect([...named('forwarded'), ...named('x-real-ip')]).toEqual([]);
        }
      },
    ),
    budget(3000),
  );
});
