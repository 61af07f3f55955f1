import { afterEach, expect, test } from 'vitest';
import { answer, type Handler, startScripted, statusOf } from '../../../test/api-server/scripted.ts';
import type { AccessQuestion } from '../../ports/access-review.ts';
import { createKubernetesAccessReview } from './access-review.ts';
import { createConnection } from './connection.ts';
import { createKubernetesTokenReview } from './token-review.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function serve(handler: Handler) {
  const api = await startScripted(handler);
  const connection = createConnection({
    access: async () => ({ server: api.origin, tls: {}, headers: {} }),
    clock: Date,
  });
  opened.push(() => connection.close());
  return { api, connection };
}
const says =
  (status: object, code = 201): Handler =>
  (_seen, response) =>
    answer(response, { status }, code);

const USER = { username: 'system:serviceaccount:ns:builder' };

test('a token is shown with the audience that it must have', async () => {
  const { api, connection } = await serve(
    says({ authenticated: true, audiences: ['sless-api'], user: USER }),
  );
  const review = createKubernetesTokenReview({ connection });
  expect(await review.review('the token', 'sless-api')).toEqual(USER);
  expect(api.seen).toMatchObject([{ method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews' }]);
  expect(JSON.parse(api.seen[0]?.body ?? '')).toMatchObject({
    kind: 'TokenReview',
    spec: { token: 'the token', audiences: ['sless-api'] },
  });
});

test("of a pod's token is told which pod it was made for", async () => {
  const extra = {
    'authentication.kubernetes.io/pod-name': ['hello-b-1-x'],
    'authentication.kubernetes.io/pod-uid': ['the uid'],
  };
  const user = { ...USER, extra };
  const { connection } = await serve(says({ authenticated: true, audiences: ['sless-api'], user }));
  const review = createKubernetesTokenReview({ connection });
  expect(await review.review('the token', 'sless-api')).toEqual({ ...USER, podUid: 'the uid' });
});

test.each([
  ['is not good', { authenticated: false }],
  ['is not good, with an error', { authenticated: false, error: '[invalid bearer token]' }],
  ['is for another audience', { authenticated: true, audiences: ['other'], user: USER }],
  ['was looked at by who knows no audiences', { authenticated: true, user: USER }],
  ['is of nobody', { authenticated: true, audiences: ['sless-api'], user: {} }],
  ['was not judged', {}],
])('a token that %s is no one', async (_what, status) => {
  const { connection } = await serve(says(status));
  expect(await createKubernetesTokenReview({ connection }).review('t', 'sless-api')).toBeUndefined();
});

const QUESTION: AccessQuestion = { user: 'bob', verb: 'patch', resource: 'functions', namespace: 'team' };

test('what somebody wants is asked in full, and nothing beyond it', async () => {
  const { api, connection } = await serve(says({ allowed: true }));
  const access = createKubernetesAccessReview({ connection });
  expect(await access.allows({ ...QUESTION, name: 'hello' })).toBe(true);
  await access.allows(QUESTION);
  const specs = api.seen.map(({ body }) => JSON.parse(body).spec);
  const about = { group: 'sless.dev', resource: 'functions', namespace: 'team', verb: 'patch' };
  expect(specs).toEqual([
    { user: 'bob', resourceAttributes: { ...about, name: 'hello' } },
    { user: 'bob', resourceAttributes: about },
  ]);
  expect(api.seen[0]?.path).toBe('/apis/authorization.k8s.io/v1/subjectaccessreviews');
});

test.each([
  [{ allowed: false, reason: 'no' }],
  [{ allowed: false, denied: true }],
  [{ allowed: true, denied: true }],
])('%j is a no', async (status) => {
  const { connection } = await serve(says(status));
  expect(await createKubernetesAccessReview({ connection }).allows(QUESTION)).toBe(false);
});

test('an API server that refuses to be asked, or answers something else, is no verdict', async () => {
  const forbidden = await serve((_seen, response) => answer(response, statusOf(403, 'Forbidden'), 403));
  const nonsense = await serve((_seen, response) => answer(response, { kind: 'Table' }, 200));
  for (const [{ connection }, code] of [
    [forbidden, 'Forbidden'],
    [nonsense, 'Unavailable'],
  ] as const) {
    const token = createKubernetesTokenReview({ connection }).review('the token', 'sless-api');
    await expect(token).rejects.toMatchObject({ code, message: expect.not.stringContaining('the token') });
    await expect(createKubernetesAccessReview({ connection }).allows(QUESTION)).rejects.toMatchObject({
      code,
    });
  }
});
