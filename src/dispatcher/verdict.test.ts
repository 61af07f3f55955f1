import { expect, test } from 'vitest';
import { SlessError } from '../errors.ts';
import { verdictOfAnswer, verdictOfError } from './verdict.ts';

const answer = (status: number, body = '') => ({
  status,
  headers: {},
  body: Buffer.from(body),
  truncated: false,
});

test.each([
  [200, 'done'],
  [204, 'done'],
  [301, 'refused'],
  [400, 'refused'],
  [404, 'refused'],
  [408, 'again'],
  [413, 'refused'],
  [429, 'again'],
  [500, 'again'],
  [503, 'again'],
  [599, 'again'],
])('%i is %s', (status, kind) => {
  expect(verdictOfAnswer(answer(status)).kind).toBe(kind);
});

test('429 of the runtime itself, which has not begun, is no try; nothing else is made one by its header', () => {
  const busy = (status: number) => ({ ...answer(status), headers: { 'x-sless-busy': '1' } });
  expect(verdictOfAnswer(busy(429)).kind).toBe('busy');
  expect(verdictOfAnswer(busy(503)).kind).toBe('again');
});

test('the reason has the beginning of the answer in one line', () => {
  const body = `{\n "error": "no\u0000 such order"\r\n}${'x'.repeat(1000)}`;
  const verdict = verdictOfAnswer(answer(422, body));
  expect(verdict).toMatchObject({
    reason: {
      code: 'FunctionRefused',
      detail: expect.stringMatching(/^the function answered 422: \{ "error": "no such order" \}x{200,300}$/),
    },
  });
});

test.each([
  [new SlessError('UpstreamUnreachable', 'x'), 'unreachable', undefined],
  [new SlessError('FunctionTimeout', 'x'), 'again', 'FunctionTimeout'],
  [new SlessError('UpstreamInvalid', 'x'), 'again', 'UpstreamInvalid'],
  [new SlessError('HeadersTooLarge', 'x'), 'refused', 'HeadersTooLarge'],
  [new SlessError('InvalidRequest', 'x'), 'refused', 'InvalidRequest'],
  [new Error('a bug'), 'again', 'Internal'],
])('of an error: %s', (error, kind, code) => {
  const verdict = verdictOfError(error);
  expect(verdict.kind).toBe(kind);
  if ('reason' in verdict) expect(verdict.reason.code).toBe(code);
});
