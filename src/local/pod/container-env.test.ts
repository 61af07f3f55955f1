import { expect, test } from 'vitest';
import { containerEnv, expand } from './container-env.ts';

const secret = (data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'fn-a' },
  data: Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  ),
});
const container = { name: 'function', image: 'i' };

test.each([
  ['plain', 'plain'],
  ['$(HOME)', '/home'],
  ['$$(HOME)', '$(HOME)'],
  ['$$$(HOME)', '$/home'],
  ['$$$$', '$$'],
  ['$HOME {HOME} $', '$HOME {HOME} $'],
  ['$(UNKNOWN)', '$(UNKNOWN)'],
  ['$(__proto__)', '$(__proto__)'],
  ['$(HOME', '$(HOME'],
  ['"q" \n 😀', '"q" \n 😀'],
])('%j becomes %j', (text, wanted) => {
  expect(expand(text, { HOME: '/home' })).toBe(wanted);
});

test('variables win over Secrets, and may refer to them and to those before', async () => {
  const answer = await containerEnv(
    {
      ...container,
      envFrom: [{ secretRef: { name: 'fn-a' } }, { secretRef: { name: 'fn-none', optional: true } }],
      env: [
        { name: 'A', value: 'own' },
        { name: 'B', value: '$(A) $(S) $(C)' },
        { name: 'C', value: 'later' },
        { name: 'D' },
      ],
    },
    async (name) => (name === 'fn-a' ? secret({ A: 'secret', S: 's', 'not a name': 'x' }) : undefined),
  );
  expect(answer).toEqual({ env: { A: 'own', S: 's', B: 'own s $(C)', C: 'later', D: '' } });
});

test('a Secret that is not there is named', async () => {
  const answer = await containerEnv(
    { ...container, envFrom: [{ secretRef: { name: 'fn-x' } }] },
    async () => undefined,
  );
  expect(answer).toEqual({ mistake: 'secret "fn-x" not found' });
});

test('what local mode cannot do is refused, not ignored', async () => {
  const none = async () => undefined;
  expect(await containerEnv({ ...container, envFrom: [{}] }, none)).toHaveProperty('mistake');
  expect(await containerEnv({ ...container, env: [{ name: 'A', valueFrom: {} }] }, none)).toHaveProperty(
    'mistake',
  );
});
