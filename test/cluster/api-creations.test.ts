import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { createCleanup } from './cleanup.ts';
import { clusterEnvironment } from './environment.ts';
import { kubectl } from './kubectl.ts';
import { manifest, renamed } from './manifests.ts';
import { makeNamespace } from './namespace.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
const LABELS = { 'sless.dev/tenant': 'true', 'pod-security.kubernetes.io/enforce': 'baseline' };

/** As somebody to whom RBAC allows everything: what is refused here, the policy refuses. */
describe.skipIf(environment === undefined)('what the api creates', () => {
  const cleanup = createCleanup();
  const admin = kubectl(environment?.kubeconfig ?? '');
  let namespace = '';
  let api = '';

  beforeAll(async () => {
    const made = await makeNamespace(admin);
    cleanup.add('namespace', made.drop);
    namespace = made.name;
    api = `api-of-${namespace}`;
    const [policy, binding] = manifest('api-creations.yaml') as [KubeObject, KubeObject];
    const name = `sless-creations-${namespace}`;
    for (const kind of [policy.kind, binding.kind])
      cleanup.add(kind, () => admin.run(['delete', kind, name, '--ignore-not-found']));
    const { variables, ...rest } = policy.spec as {
      readonly variables: readonly { readonly name: string }[];
    };
    const own = variables.map((one) => (one.name === 'api' ? { ...one, expression: `'${api}'` } : one));
    await admin.apply(
      { ...renamed(policy, name), spec: { ...rest, variables: own } },
      { ...renamed(binding, name), spec: { ...(binding.spec as object), policyName: name } },
    );
    await waitFor({
      for: 'the policy to be in force',
      look: () => make(secret('other')),
      holds: (said) => said.includes('the api creates the Secrets of builds'),
    });
  });
  afterAll(() => cleanup.run());

  const make = (object: object, user = api) =>
    admin
      .run(
        ['create', '--dry-run=server', '-f', '-', `--as=${user}`, '--as-group=system:masters'],
        JSON.stringify(object),
      )
      .catch(String);
  const secret = (name: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    ...more,
  });
  const named = (name: string, labels: object = LABELS) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });

  test('the Secrets of builds and the namespaces of persons are let through', async () => {
    for (const name of ['sless-push', 'sless-pull', 'sless-s3'])
      expect(await make(secret(name))).toContain('created');
    const type = 'kubernetes.io/dockerconfigjson';
    const stringData = { '.dockerconfigjson': '{"auths":{}}' };
    expect(await make(secret('sless-push', { type, stringData }))).toContain('created');
    expect(await make(named('sless-0123456789abcdef'))).toContain('created');
  });

  test('a token of an account is not, under whatever name; nor is another Secret', async () => {
    const token = (name: string) => ({
      ...secret(name, { type: 'kubernetes.io/service-account-token' }),
      metadata: { name, namespace, annotations: { 'kubernetes.io/service-account.name': 'default' } },
    });
    for (const object of [token('sless-push'), token('other'), secret('other'), secret('sless-push-2')])
      expect(await make(object)).toContain('the api creates the Secrets of builds, and none that is a token');
  });

  test('nor is a namespace that is not one of a person, or lacks what keeps its pods in', async () => {
    const { 'pod-security.kubernetes.io/enforce': _, ...lax } = LABELS;
    for (const object of [
      named('mine'),
      named('sless-0123456789abcdef', lax),
      named('sless-0123456789abcdef', { ...LABELS, 'pod-security.kubernetes.io/enforce': 'privileged' }),
      named('sless-0123456789abcdef', {}),
    ])
      expect(await make(object)).toContain('the api creates namespaces of persons');
  });

  test('others are let alone', async () => {
    expect(await make(secret('other'), 'somebody')).toContain('created');
    expect(await make(named('mine', {}), 'somebody')).toContain('created');
    const generated = { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'other-', namespace } };
    expect(await make(generated, 'somebody')).toContain('created');
  });
});
