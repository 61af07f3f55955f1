import { expect, test } from 'vitest';
import { statusOf } from '../../../test/api-server/scripted.ts';
import { refusalError } from './refusal.ts';

const refusal = (status: number, body: unknown, retryAfter?: string) =>
  refusalError({
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    retryAfter,
    asked: 'GET /x',
  });

test.each([
  [400, 'BadRequest', 'Invalid'],
  [401, 'Unauthorized', 'Unavailable'],
  [403, 'Forbidden', 'Forbidden'],
  [404, 'NotFound', 'NotFound'],
  [405, 'MethodNotAllowed', 'Internal'],
  [409, 'AlreadyExists', 'AlreadyExists'],
  [409, 'Conflict', 'Conflict'],
  [410, 'Expired', 'Gone'],
  [410, 'Gone', 'Gone'],
  [413, 'RequestEntityTooLarge', 'Invalid'],
  [422, 'Invalid', 'Invalid'],
  [429, 'TooManyRequests', 'Unavailable'],
  [500, 'InternalError', 'Unavailable'],
  [503, 'ServiceUnavailable', 'Unavailable'],
  [504, 'Timeout', 'Unavailable'],
])('%i %s is %s, in the words of the API server', (status, reason, code) => {
  expect(refusal(status, statusOf(status, reason))).toMatchObject({ code, message: `${reason} it is` });
});

test('each cause of an invalid object is one detail, with the field that it concerns', () => {
  const causes = [
    { reason: 'FieldValueInvalid', field: 'spec.replicas', message: 'must not be negative' },
    { reason: 'FieldValueRequired', message: 'required' },
  ];
  expect(refusal(422, statusOf(422, 'Invalid', { details: { causes } })).details).toEqual([
    'spec.replicas: must not be negative',
    'required',
  ]);
});

test.each([
  'failed to create typed patch object (team/hello; sless.dev/v1alpha1, Kind=Function): .spec.replcas: field not declared in schema',
  'failed to convert new object (team/s; /v1, Kind=Secret) to proper version: error decoding from json: illegal base64 data',
])('an apply that the API server cannot read is Invalid, though it answers 500: %s', (message) => {
  const status = { ...statusOf(500, 'InternalError'), message };
  expect(refusal(500, status)).toMatchObject({ code: 'Invalid', details: [message] });
});

test('an invalid object without causes has its message for a detail', () => {
  expect(refusal(400, statusOf(400, 'BadRequest')).details).toEqual(['BadRequest it is']);
});

test.each([
  ['in the status', statusOf(429, 'TooManyRequests', { details: { retryAfterSeconds: 7 } }), undefined, 7],
  ['in the header', statusOf(503, 'ServiceUnavailable'), '3', 3],
  ['in the header of an answer without a status', 'try later', '4', 4],
  ['in no words', statusOf(503, 'ServiceUnavailable'), 'soon', undefined],
])('how long to wait is read %s', (_where, body, header, seconds) => {
  expect(refusal(503, body, header).retryAfterSeconds).toBe(seconds);
});

test('a kind that the API server does not know is told from an object that is not there', () => {
  expect(refusal(404, '404 page not found')).toMatchObject({
    code: 'Unavailable',
    message: 'the API server does not know GET /x: is its CRD installed?',
  });
});

test('an answer that is no status is quoted, shortly', () => {
  const error = refusal(502, `<html>${'x'.repeat(5_000)}`);
  expect(error.code).toBe('Unavailable');
  expect(error.message).toMatch(/^GET \/x: the API server answered 502 <html>x/);
  expect(error.message.length).toBeLessThan(300);
});
