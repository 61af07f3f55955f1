import { expect, test } from 'vitest';
import { leaks, secretsOf } from './forms.ts';

const password = 'p"ss /wörd+42';

test.each([
  ['plain', `login ${password} refused`],
  ['in JSON', JSON.stringify({ url: `amqp://u:${password}@h` })],
  ['in a URL', `postgres://u:${encodeURIComponent(password)}@h/d`],
  ['hex', Buffer.from(password).toString('hex')],
  ['base64', `Basic ${Buffer.from(`user:${password}`).toString('base64')}`],
  ['base64', `Basic ${Buffer.from(`u:${password}@host`).toString('base64url')}`],
  ['base64', `Basic ${Buffer.from(`me:${password}@`).toString('base64')}`],
])('a secret is found %s: %s', (form, text) => {
  expect(leaks(text, { password })).toContain(`password (${form})`);
});

test('nothing is found where there is nothing', () => {
  expect(leaks('p"ss /wörd+4 and words', { password })).toEqual([]);
});

test('of an environment the settings that are secret count, and of a URL its password', () => {
  const env = {
    S3_SECRET_KEY: 'abcdefgh',
    RABBITMQ_URL: 'amqp://user:a%20password@host/v',
    DATABASE_URL: 'postgres://user@host/d',
    S3_ACCESS_KEY: 'short',
    EXTERNAL_URL: 'https://no.secret.example.com',
  };
  expect(secretsOf(env)).toEqual({ S3_SECRET_KEY: 'abcdefgh', RABBITMQ_URL: 'a password' });
});
