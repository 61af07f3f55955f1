import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { zipOf } from '../api/zips.ts';
import { kstatus } from '../gitops/kstatus.ts';
import { createCleanup } from './cleanup.ts';
import { clusterEnvironment } from './environment.ts';
import { type InstallableEnvironment, type Installation, install, isInstallable } from './installation.ts';
import { kubectl } from './kubectl.ts';
import { manifest, renamed } from './manifests.ts';
import { makeNamespace } from './namespace.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
if (isInstallable(environment)) ofTeam(environment);
else test.skip('a team with a namespace of its own', () => undefined);

const LABELS = { 'sless.dev/tenant': 'true', 'pod-security.kubernetes.io/enforce': 'baseline' };
const CODE = { 'handler.py': 'def handle(event):\n    return {"from": "git"}\n' };
const GROUP = 'rbac.authorization.k8s.io';

/** All that a namespace in Git brings about: nobody calls `ensure`, the code comes by upload, the rest by kubectl. */
function ofTeam(given: InstallableEnvironment): void {
  describe('a team with a namespace of its own, all of it in Git', { timeout: 240_000 }, () => {
    const cleanup = createCleanup();
    const admin = kubectl(given.kubeconfig);
    const user = `team-${randomBytes(4).toString('hex')}`;
    let system = '';
    let namespace = '';
    let sless: Installation;

    const login = (word: string) => {
      const auth = Buffer.from(`${word}:${word}`).toString('base64');
      return JSON.stringify({ auths: { [given.registryHost]: { auth } } });
    };
    const secret = (name: string, word: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: system },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': login(word) },
    });
    const copied = (name: string, word: string) =>
      waitFor({
        for: `${name} in ${namespace} to say ${word}`,
        look: async () =>
          (await admin.get('secret', name, '-n', namespace)) as KubeObject & { data: Record<string, string> },
        holds: ({ data }) =>
          Buffer.from(data['.dockerconfigjson'] ?? '', 'base64').toString() === login(word),
      });
    const objects = (name: string) => [
      {
        apiVersion: 'sless.dev/v1alpha1',
        kind: 'Function',
        metadata: { name, namespace },
        spec: { runtime: 'python3.11', env: { A: 'b' }, resources: { limits: { memory: '128Mi' } } },
      },
      {
        apiVersion: 'sless.dev/v1alpha1',
        kind: 'Trigger',
        metadata: { name, namespace },
        spec: { type: 'http', functionRef: name },
      },
    ];
    const listed = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects(name) });
    const live = async (kind: string, name: string) =>
      (await admin.get(kind, name, '-n', namespace)) as KubeObject;
    const waitReady = (name: string, seconds: number) =>
      admin.run([
        'wait',
        '--for=condition=Ready',
        `function/${name}`,
        '-n',
        namespace,
        `--timeout=${seconds}s`,
      ]);
    const upload = async (name: string, subject: string) => {
      const form = new FormData();
      form.set('code', new Blob([new Uint8Array(zipOf(CODE))]), 'code.zip');
      return fetch(`${sless.api.url}/v1/namespaces/${namespace}/functions/${name}/upload`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await sless.issuer.mint(subject)}` },
        body: form,
      });
    };

    beforeAll(async () => {
      const made = await makeNamespace(admin);
      cleanup.add('system', made.drop);
      system = made.name;
      const settings = { SYSTEM_NAMESPACE: system, PUSH_SECRET: 'sless-push', PULL_SECRET: 'sless-pull' };
      sless = await install(given, 'sync loop', {
        operator: settings,
        api: { ...settings, AUTH_RBAC: 'true' },
      });
      cleanup.add('installation', sless.close);
      await admin.apply(secret('sless-push', 'pusher'), secret('sless-pull', 'puller'));
      const own = await makeNamespace(admin, LABELS);
      cleanup.add('namespace', own.drop);
      namespace = own.name;
      const role = renamed(manifest('roles.yaml')[0] as KubeObject, `sless-tenant-${namespace}`);
      cleanup.add('role', () => admin.run(['delete', 'clusterrole', role.metadata.name]));
      await admin.apply(role, {
        apiVersion: `${GROUP}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'team', namespace },
        roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role.metadata.name },
        subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
      });
    }, 600_000);
    afterAll(() => cleanup.run());

    test('it receives the logins of the registry, and new ones when they change', async () => {
      await copied('sless-push', 'pusher');
      await copied('sless-pull', 'puller');
      await admin.apply(secret('sless-push', 'rotated'));
      await copied('sless-push', 'rotated');
    });

    test('what is applied waits for its code, and nobody takes it for done', async () => {
      const asTeam = ['apply', '--server-side', '--field-manager=git', '-f', '-', `--as=${user}`];
      await admin.run(asTeam, listed('hello'));
      expect(kstatus(await live('function', 'hello'))).toBe('InProgress');
      await admin.run(['wait', '--for=condition=Ready', 'trigger/hello', '-n', namespace, '--timeout=60s']);
      await waitFor({
        for: 'the Function to say that it waits for code',
        look: () => live('function', 'hello'),
        holds: ({ status }) => JSON.stringify(status).includes('AwaitingCode'),
      });
      await expect(waitReady('hello', 1)).rejects.toThrow(/timed out/);
      expect(kstatus(await live('function', 'hello'))).toBe('InProgress');
    });

    test('its people upload; nobody else does', async () => {
      expect((await upload('hello', `${user}-not`)).status).toBe(403);
      const answer = await upload('hello', user);
      expect(answer.status, await answer.text()).toBe(200);
      await waitReady('hello', 180);
      expect(kstatus(await live('function', 'hello'))).toBe('Current');
      const response = await fetch(`${sless.proxy.url}/fn/${namespace}/hello`);
      expect(await response.json()).toEqual({ from: 'git' });
    });

    test('what is in Git and what is in the cluster stay the same, however it is applied', async () => {
      const diff = ['diff', '--server-side', '--field-manager=git', '-f', '-'];
      expect(await admin.run(diff, listed('hello'))).toBe('');
      const before = await live('function', 'hello');
      await admin.run(['apply', '--server-side', '--field-manager=git', '-f', '-'], listed('hello'));
      const after = await live('function', 'hello');
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
      expect(after.spec).toHaveProperty('s3Key');

      // By three ways to merge: what was applied last, what is applied, what is there.
      await admin.run(['apply', '-f', '-'], listed('second'));
      expect((await upload('second', user)).status).toBe(200);
      await waitReady('second', 180);
      expect(await admin.run(['diff', '-f', '-'], listed('second'))).toBe('');
      expect(await admin.run(['apply', '-f', '-'], listed('second'))).toMatch(/^(\S+ unchanged\n){2}$/);
    });

    test('a spec that cannot be used is a failure to whoever waits', async () => {
      const spec = { spec: { runtime: 'cobol' } };
      await admin.run([
        'patch',
        'function',
        'second',
        '-n',
        namespace,
        '--type=merge',
        '-p',
        JSON.stringify(spec),
      ]);
      await admin.run([
        'wait',
        '--for=condition=Stalled',
        'function/second',
        '-n',
        namespace,
        '--timeout=60s',
      ]);
      expect(kstatus(await live('function', 'second'))).toBe('Failed');
    });
  });
}
