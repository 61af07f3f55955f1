import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isOwnKey } from '../../src/resources/function/source-key.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { apiServer } from './api-server.ts';
import { createCleanup } from './cleanup.ts';
import { installCrds } from './crds.ts';
import { clusterEnvironment } from './environment.ts';
import { kubectl } from './kubectl.ts';
import { manifest, renamed } from './manifests.ts';
import { makeNamespace } from './namespace.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
const GROUP = 'rbac.authorization.k8s.io';

describe.skipIf(environment === undefined)('manifests on a real API server', () => {
  const cleanup = createCleanup();
  const admin = kubectl(environment?.kubeconfig ?? '');
  let namespace = '';
  let elsewhere = '';

  /** Applies objects of the whole cluster, and removes them afterwards. */
  const install = async (...objects: readonly KubeObject[]) => {
    for (const { kind, metadata } of objects)
      cleanup.add(`${kind} ${metadata.name}`, () =>
        admin.run(['delete', kind, metadata.name, '--ignore-not-found']),
      );
    await admin.apply(...objects);
  };

  beforeAll(async () => {
    const server = apiServer(environment?.kubeconfig);
    if (server === undefined) throw new Error('no API server');
    await installCrds(server).finally(() => server.close());
    for (const made of [await makeNamespace(admin), await makeNamespace(admin)]) {
      cleanup.add(made.name, made.drop);
      [namespace, elsewhere] = [made.name, namespace];
    }
  });
  afterAll(() => cleanup.run());

  const fn = (spec: object, name = 'hello') => ({
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Function',
    metadata: { name, namespace },
    spec: { runtime: 'python3.11', ...spec },
  });
  const create = (object: object, ...more: readonly string[]) =>
    admin.run(['create', '-f', '-', ...more], JSON.stringify(object));

  describe('the policy for the source of a Function', () => {
    beforeAll(async () => {
      const [policy, binding] = manifest('function-source.yaml') as [KubeObject, KubeObject];
      const name = `sless-test-${namespace}`;
      const here = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
      const spec = { ...(binding.spec as object), policyName: name, matchResources: here };
      // From before there was a policy.
      await create(fn({ s3Key: `contexts/${elsewhere}/old/v.tar.gz` }, 'old'));
      await install(renamed(policy, name), { ...renamed(binding, name), spec });
      await waitFor({
        for: 'the policy to be in force',
        look: () => create(fn({ s3Key: 'x' }), '--dry-run=server').catch(String),
        holds: (said) => said.includes('must be a key below'),
      });
    });

    const keys = (): readonly string[] => [
      `contexts/${namespace}/hello/v1.tar.gz`,
      `contexts/${namespace}/hello/20260102030405-abc.tar.gz`,
      `contexts/${namespace}/hello/a/b/c`,
      `contexts/${namespace}/hello/_`,
      `contexts/${namespace}/hello/`,
      `contexts/${namespace}/hello`,
      `contexts/${namespace}/hello2/v1.tar.gz`,
      `contexts/${elsewhere}/hello/v1.tar.gz`,
      `contexts/${namespace}/hello/../../${elsewhere}/hello/v1`,
      `contexts/${namespace}/hello//v1`,
      `contexts/${namespace}/hello/v1/`,
      `contexts/${namespace}/hello/.v1`,
      `contexts/${namespace}/hello/a b`,
      `contexts/${namespace}/hello/v1\n`,
      `functions/${namespace}/hello/v1.zip`,
      'x',
    ];

    test('takes and refuses the very keys that the hook takes and refuses', async () => {
      for (const s3Key of keys()) {
        const said = await create(fn({ s3Key }), '--dry-run=server').catch(String);
        const isTaken = said.includes('created');
        expect(isTaken, `${JSON.stringify(s3Key)}: ${said}`).toBe(
          isOwnKey({ namespace, name: 'hello' }, s3Key),
        );
        if (!isTaken) expect(said).toContain(`spec.s3Key: must be a key below contexts/${namespace}/hello/`);
      }
    });

    test('knows one bucket', async () => {
      expect(await create(fn({ s3Bucket: 'sless' }), '--dry-run=server')).toContain('created');
      await expect(create(fn({ s3Bucket: 'other' }), '--dry-run=server')).rejects.toThrow(
        'spec.s3Bucket: must be sless, or absent',
      );
    });

    test('holds whoever patches, and lets the rest of an old object be changed', async () => {
      const patch = (name: string, spec: object) =>
        admin.run([
          'patch',
          'function',
          name,
          '-n',
          namespace,
          '--type=merge',
          '-p',
          JSON.stringify({ spec }),
        ]);
      await patch('old', { replicas: 3 });
      await expect(patch('old', { s3Key: `contexts/${elsewhere}/old/w.tar.gz` })).rejects.toThrow(
        'must be a key below',
      );
      await patch('old', { s3Key: `contexts/${namespace}/old/w.tar.gz` });
      await admin.run(['delete', 'function', 'old', '-n', namespace]);
    });
  });

  describe('the roles for people', () => {
    const can = async (user: string, verb: string, what: string, subresource?: string) => {
      const more = subresource === undefined ? [] : [`--subresource=${subresource}`];
      const asked = ['auth', 'can-i', verb, what, '-n', namespace, `--as=${user}`, ...more];
      return (await admin.run(asked).catch(() => 'no')).trim() === 'yes';
    };
    const bind = (user: string, role: string) =>
      admin.apply({
        apiVersion: `${GROUP}/v1`,
        kind: 'RoleBinding',
        metadata: { name: user, namespace },
        roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
      });
    const OURS = ['functions.sless.dev', 'triggers.sless.dev', 'functionjobs.sless.dev'];

    beforeAll(async () => {
      const roles = manifest('roles.yaml').map((role) => renamed(role, `${role.metadata.name}-${namespace}`));
      await install(...roles);
      await bind('tina', `sless-tenant-${namespace}`);
      await bind('vera', `sless-viewer-${namespace}`);
      await bind('edda', 'edit');
      await bind('vito', 'view');
      for (const [user, verb] of [
        ['tina', 'create'],
        ['vera', 'get'],
        ['edda', 'create'],
        ['vito', 'get'],
      ] as const)
        await waitFor({
          for: `${user} to be allowed to ${verb} Functions`,
          look: () => can(user, verb, 'functions.sless.dev'),
          holds: Boolean,
        });
    });

    test.each(['tina', 'edda'])(
      '%s does everything with the three kinds, and writes no status',
      async (user) => {
        for (const what of OURS) {
          for (const verb of ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'])
            expect(await can(user, verb, what), `${verb} ${what}`).toBe(true);
          for (const verb of ['update', 'patch']) expect(await can(user, verb, what, 'status')).toBe(false);
        }
      },
    );

    test.each(['vera', 'vito'])('%s looks at the three kinds and changes nothing', async (user) => {
      for (const what of OURS) {
        for (const verb of ['get', 'list', 'watch'])
          expect(await can(user, verb, what), `${verb} ${what}`).toBe(true);
        for (const verb of ['create', 'update', 'patch', 'delete'])
          expect(await can(user, verb, what)).toBe(false);
      }
    });

    test.each(['tina', 'vera'])('%s sees nothing else', async (user) => {
      for (const what of [
        'secrets',
        'pods',
        'configmaps',
        'serviceaccounts',
        'jobs.batch',
        'deployments.apps',
      ])
        for (const verb of ['get', 'list', 'create', 'delete'])
          expect(await can(user, verb, what)).toBe(false);
    });

    test('a status that names an image of others cannot be written', async () => {
      await create(fn({}));
      const status = JSON.stringify({ status: { image: 'registry/sless/other/secret@sha256:abc' } });
      const patch = ['patch', 'function', 'hello', '-n', namespace, '--type=merge', '-p', status];
      await expect(admin.run([...patch, '--subresource=status', '--as=tina'])).rejects.toThrow(
        /cannot (get|patch)/,
      );
      await admin.run([...patch, '--as=tina']);
      const left = (await admin.get('function', 'hello', '-n', namespace)) as KubeObject;
      expect(left.status).not.toHaveProperty('image');
    });
  });

  test('the right to the Secrets of builds is one to three names, wherever somebody is bound to it', async () => {
    const [role] = manifest('registry-secrets.yaml') as [KubeObject];
    const name = `sless-registry-secrets-${namespace}`;
    await install(renamed(role, name));
    await admin.apply({
      apiVersion: `${GROUP}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'copies', namespace },
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: GROUP, kind: 'User', name: 'copier' }],
    });
    const secret = (where: string, of: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: of, namespace: where },
    });
    const make = (where: string, of: string) => create(secret(where, of), '--as=copier');
    await waitFor({
      for: 'the right',
      look: () => make(namespace, 'sless-push').catch(String),
      holds: (said) => /created|exists/.test(said),
    });
    await admin.apply(secret(namespace, 'other'), secret(elsewhere, 'sless-push'));
    const get = (where: string, of: string) => admin.run(['get', 'secret', of, '-n', where, '--as=copier']);
    expect(await get(namespace, 'sless-push')).toContain('sless-push');
    for (const [where, of] of [
      [namespace, 'other'],
      [elsewhere, 'sless-push'],
    ] as const)
      await expect(get(where, of)).rejects.toThrow(/cannot get/);
    await expect(make(elsewhere, 'sless-pull')).rejects.toThrow(/cannot create/);
    await expect(admin.run(['get', 'secrets', '-n', namespace, '--as=copier'])).rejects.toThrow(
      /cannot list/,
    );
  });
});
