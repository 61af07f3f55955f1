import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKubernetesAccessReview } from '../../src/adapters/kubernetes/access-review.ts';
import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { createKubernetesTokenReview } from '../../src/adapters/kubernetes/token-review.ts';
import type { AccessQuestion } from '../../src/ports/access-review.ts';
import { type RealCluster, realCluster } from './adapter.ts';
import { clusterEnvironment } from './environment.ts';
import { type Kubectl, kubectl as kubectlFor } from './kubectl.ts';
import { makeNamespace, type TestNamespace } from './namespace.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();

describe.skipIf(environment === undefined)('what a real API server says of tokens and rights', () => {
  let kubectl: Kubectl;
  let real: RealCluster;
  let own: TestNamespace;
  beforeAll(async () => {
    const path = environment?.kubeconfig ?? '';
    kubectl = kubectlFor(path);
    real = realCluster(kubeconfig({ path }));
    own = await makeNamespace(kubectl, { 'sless.dev/tenant': 'true' });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta('builder') };
    await kubectl.apply(account);
  });
  afterAll(async () => {
    await own?.drop();
    await real?.connection.close();
  });
  const meta = (name: string) => ({ name, namespace: own.name });
  const tokenFor = async (audience: string) =>
    (await kubectl.run(['create', 'token', 'builder', '-n', own.name, `--audience=${audience}`])).trim();

  test("a service account's token for our audience is known, and nothing else is", async () => {
    const { review } = createKubernetesTokenReview(real);
    const good = await tokenFor('sless-api');
    const username = `system:serviceaccount:${own.name}:builder`;
    expect(await review(good, 'sless-api')).toEqual({ username });
    const others = [await tokenFor('other'), `${good}x`, good.slice(0, -2), 'a.b.c', 'admin'];
    for (const token of others) expect(await review(token, 'sless-api')).toBeUndefined();
    await kubectl.run(['delete', 'serviceaccount', 'builder', '-n', own.name]);
    await waitFor({
      for: 'a token whose account is gone to be no good',
      look: () => review(good, 'sless-api'),
      holds: (reviewed) => reviewed === undefined,
    });
  });

  test('a role decides who may use a namespace, by verb and name', async () => {
    const { allows } = createKubernetesAccessReview(real);
    const group = 'rbac.authorization.k8s.io';
    const question: AccessQuestion = {
      user: 'bob',
      verb: 'patch',
      resource: 'functions',
      namespace: own.name,
      name: 'hello',
    };
    expect(await allows(question)).toBe(false);
    const rules = [
      { apiGroups: ['sless.dev'], resources: ['functions'], verbs: ['patch'], resourceNames: ['hello'] },
      { apiGroups: ['sless.dev'], resources: ['functions'], verbs: ['list'] },
    ];
    await kubectl.apply(
      { apiVersion: `${group}/v1`, kind: 'Role', metadata: meta('team'), rules },
      {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata: meta('team'),
        roleRef: { apiGroup: group, kind: 'Role', name: 'team' },
        subjects: [{ apiGroup: group, kind: 'User', name: 'bob' }],
      },
    );
    await waitFor({ for: 'the role to count', look: () => allows(question), holds: Boolean });
    const { name: _, ...all } = question;
    expect(await allows({ ...all, verb: 'list' })).toBe(true);
    for (const other of [
      all,
      { ...question, name: 'other' },
      { ...question, verb: 'delete' as const },
      { ...question, resource: 'triggers' as const },
      { ...question, user: 'eve' },
      { ...question, namespace: 'default' },
    ])
      expect(await allows(other)).toBe(false);
  });
});
