import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { imageOrders } from '../../images/build-with-crane.ts';
import { buildImage } from '../../images/crane/image.ts';
import { openRegistry } from '../../images/crane/registry.ts';
import { namespaceOf } from '../../src/gateway/auth/subject.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { secretCopiesBinding } from '../../src/resources/tenant/role-binding.ts';
import { zipOf } from '../api/zips.ts';
import { findVersitygw, type S3Server, startVersitygw } from '../contracts/versitygw.ts';
import { TENANT_SETTINGS } from '../hooks/settings.ts';
import { apiServer } from './api-server.ts';
import { createCleanup } from './cleanup.ts';
import { installCrds } from './crds.ts';
import { clusterEnvironment } from './environment.ts';
import { type InstallableEnvironment, isInstallable } from './installation.ts';
import { kubectl } from './kubectl.ts';
import { manifest, renamed } from './manifests.ts';
import { makeNamespace, type TestNamespace } from './namespace.ts';
import { boundIn, RIGHTS } from './rights.ts';
import { type RightsUsed, recordRights, rightsIn } from './rights-used.ts';
import { startRolePod } from './role-pod.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
if (isInstallable(environment)) inPods(environment);
else test.skip('api and proxy in pods', () => undefined);

const BUILD = { 'sless.dev/component': 'build', 'sless.dev/function': 'hello' };
const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** As an installation runs them: with nothing but their service accounts, and no right that they do not need. */
function inPods(given: InstallableEnvironment): void {
  describe('api and proxy in pods', { timeout: 240_000 }, () => {
    const cleanup = createCleanup();
    const admin = kubectl(given.kubeconfig);
    const subject = `user-${crypto.randomUUID()}`;
    const namespace = namespaceOf(subject);
    let system: TestNamespace;
    let store: S3Server;
    let image: string;
    let token: string;
    let api: string;
    let proxy: string;
    let used: RightsUsed;

    beforeAll(async () => {
      const server = apiServer(given.kubeconfig);
      if (server === undefined) throw new Error('no API server');
      await installCrds(server).finally(() => server.close());
      const order = imageOrders().find(({ image: name }) => name.startsWith('sless:'))!;
      const registry = openRegistry({ host: given.registryHost, insecure: given.registryInsecure });
      image = await buildImage(registry, order);
      store = await startVersitygw(findVersitygw() ?? '', given.hostIp);
      cleanup.add('store', store.close);
      system = await makeNamespace(admin);
      cleanup.add('system', system.drop);
      cleanup.add('tenant', () =>
        admin.run(['delete', 'namespace', namespace, '--wait=false', '--ignore-not-found']),
      );
      token = await new SignJWT({ sub: subject, exp: Math.floor(Date.now() / 1000) + 3600 })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new Uint8Array(32));
      await allowSecretCopies();
      used = await recordRights(given.hostIp, given.kubeconfig);
      cleanup.add('record of rights', used.close);
      [api, proxy] = await Promise.all([
        start('api', {
          AUTH_MODE: 'trusted-perimeter',
          AUTH_RBAC: 'true',
          SYSTEM_NAMESPACE: system.name,
          PUSH_SECRET: 'sless-push',
          S3_BUCKET: store.bucket,
          S3_ENDPOINT: store.endpoint,
          S3_ACCESS_KEY: store.accessKeyId,
          S3_SECRET_KEY: store.secretAccessKey,
        }),
        start('proxy', {}),
      ]);
    }, 600_000);
    afterAll(() => cleanup.run());

    const start = async (role: 'api' | 'proxy', env: Readonly<Record<string, string>>): Promise<string> => {
      const { address, drop } = await startRolePod(admin, { role, namespace: system.name, image, used, env });
      cleanup.add(`rights of ${role}`, drop);
      return `http://${address}:8080`;
    };

    /** What `manifests/` gives the api, and the controller of tenants in each namespace, under names of our own. */
    async function allowSecretCopies(): Promise<void> {
      const [role, sources, binding] = manifest('registry-secrets.yaml') as [
        KubeObject,
        KubeObject,
        KubeObject,
      ];
      const name = `${system.name}-secrets`;
      cleanup.add('role', () => admin.run(['delete', 'clusterrole', name, '--ignore-not-found']));
      const here = { name: 'secrets', namespace: system.name };
      const subjects = [{ kind: 'ServiceAccount', name: 'api', namespace: system.name }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'secrets' };
      await admin.apply(
        renamed(role, name),
        { ...sources, metadata: here },
        { ...binding, metadata: here, roleRef, subjects },
      );
    }

    const ask = async (method: string, path: string, body?: object | FormData) => {
      const isForm = body instanceof FormData;
      const response = await fetch(`${api}/v1/namespaces/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
    };
    const ok = async (method: string, path: string, body?: object | FormData) => {
      const { status, body: answer } = await ask(method, path, body);
      expect(status, `${method} ${path}: ${JSON.stringify(answer)}`).toBeLessThan(300);
      return answer;
    };

    test('the api does all that REST offers', async () => {
      await ok('POST', `${namespace}/ensure`);
      // No controller of tenants is there to do it.
      const account = { name: 'api', namespace: system.name };
      await admin.apply(...boundIn(namespace, { name: 'api', rules: RIGHTS.apiInTenants, account }));
      await ok('POST', `${namespace}/functions`, { name: 'hello', runtime: 'python3.11' });
      await ok('POST', `${namespace}/triggers`, { name: 'web', type: 'http', function: 'hello' });
      const form = new FormData();
      form.set('code', new Blob([new Uint8Array(zipOf({ 'handler.py': 'def handle(e): return e' }))]), 'c');
      await ok('POST', `${namespace}/functions/hello/upload`, form);
      for (const path of [
        'functions',
        'functions/hello',
        'functions/hello/source',
        'functions/hello/versions',
      ])
        await ok('GET', `${namespace}/${path}`);
      const cron = { name: 'daily', type: 'cron', function: 'hello', schedule: '0 3 * * *' };
      await ok('POST', `${namespace}/triggers`, cron);
      for (const path of ['triggers', 'triggers/web', 'triggers/daily'])
        await ok('GET', `${namespace}/${path}`);
      await ok('PATCH', `${namespace}/functions/hello`, { replicas: 2 });
      await ok('PATCH', `${namespace}/triggers/web`, { enabled: false });
      for (const action of ['rebuild', 'restart']) await ok('POST', `${namespace}/functions/hello/${action}`);
      await ok('POST', `${namespace}/functions`, { name: 'gone', runtime: 'python3.11' });
      await ok('POST', `${namespace}/jobs`, { name: 'once', function: 'hello' });
      for (const path of ['jobs', 'jobs/once']) await ok('GET', `${namespace}/${path}`);
      await ok('PATCH', `${namespace}/jobs/once`, { run_id: 1 });
      await ok('DELETE', `${namespace}/jobs/once`);
      await ok('DELETE', `${namespace}/triggers/web`);
      await ok('DELETE', `${namespace}/functions/gone`);
    });

    test('the api brings the Secrets of builds once the namespace lets it, and new ones when they change', async () => {
      const secret = (word: string) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'sless-push', namespace: system.name },
        // Nothing else is copied than a login of a registry.
        type: 'kubernetes.io/dockerconfigjson',
        data: {
          '.dockerconfigjson': Buffer.from(JSON.stringify({ auths: { [word]: {} } })).toString('base64'),
        },
      });
      await admin.apply(secret('first'));
      const settings = { ...TENANT_SETTINGS, systemNamespace: system.name, apiServiceAccount: 'api' };
      const binding = secretCopiesBinding(namespace, settings);
      const roleRef = { ...(binding.roleRef as object), name: `${system.name}-secrets` };
      await admin.apply({ ...binding, roleRef });
      const copied = (word: string) =>
        waitFor({
          for: `the copy to say ${word}`,
          look: async () => (await admin.get('secret', 'sless-push', '-n', namespace)) as Data,
          holds: ({ data }) => data['.dockerconfigjson'] === secret(word).data['.dockerconfigjson'],
        });
      await copied('first');
      await admin.apply(secret('second'));
      await copied('second');
      const asApi = `--as=system:serviceaccount:${system.name}:api`;
      for (const [where, what] of [
        [system.name, 'secrets'],
        [namespace, 'secrets'],
        ['kube-system', 'secret/sless-push'],
      ] as const)
        await expect(admin.run(['get', what, '-n', where, asApi])).rejects.toThrow(/cannot (get|list)/);
    });

    test('the api asks who may use the namespace of others', async () => {
      expect(await ask('GET', 'default/functions')).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining('may not list functions.sless.dev in default') },
      });
    });

    test('a pod with a projected token gets the context; one of another namespace does not', async () => {
      const { s3_key: key } = await ok('GET', `${namespace}/functions/hello`);
      const url = `${api.replace(':8080', ':8082')}/internal/contexts/${namespace}/hello?key=${key}`;
      const fetchAs = async (where: string) => {
        const minted = await admin.run(['create', 'token', 'default', '-n', where, '--audience=sless-api']);
        return fetch(url, { headers: { authorization: `Bearer ${minted.trim()}` } });
      };
      const good = await fetchAs(namespace);
      expect(good.status).toBe(200);
      expect((await good.arrayBuffer()).byteLength).toBeGreaterThan(100);
      expect((await fetchAs(system.name)).status).toBe(403);
    });

    test('the reporter reads the log of a push and writes onto its Job', async () => {
      const container = (name: string, script: string) => ({
        ...{ name, image: 'busybox', imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', script] },
      });
      await admin.apply({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'hello-b', namespace, labels: BUILD },
        spec: {
          template: {
            metadata: { labels: BUILD },
            spec: {
              restartPolicy: 'Never',
              containers: [container('push', `echo pushed; echo r:5000/sless/ns/hello@${DIGEST}`)],
            },
          },
        },
      });
      const report = await waitFor({
        for: 'the digest on the Job',
        look: async () =>
          ((await admin.get('job', 'hello-b', '-n', namespace)) as Annotated).metadata.annotations?.[
            'sless.dev/report'
          ],
        holds: (text) => text !== undefined,
      });
      expect(JSON.parse(report ?? '')).toEqual({ digest: DIGEST, finishedAt: expect.any(String) });
    });

    test('it says on a Deployment that its pods do not come up', async () => {
      const labels = { 'sless.dev/component': 'server', 'sless.dev/function': 'hello' };
      const ends = {
        name: 'function',
        image: 'busybox',
        imagePullPolicy: 'IfNotPresent',
        command: ['false'],
      };
      await admin.apply({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'hello', namespace, labels },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [ends] } },
        },
      });
      const report = await waitFor({
        for: 'the crash on the Deployment',
        timeoutMs: 60_000,
        look: async () =>
          ((await admin.get('deployment', 'hello', '-n', namespace)) as Annotated).metadata.annotations?.[
            'sless.dev/report'
          ],
        holds: (text) => text !== undefined,
      });
      expect(JSON.parse(report ?? '')).toMatchObject({ reason: 'CrashLoop' });
      await ok('GET', `${namespace}/functions/hello/logs`);
    });

    test('every right of theirs was used, and no other was asked for', async () => {
      const ofSecrets = /^\w+ secrets$/;
      const asked = (role: 'api' | 'proxy') =>
        used.of(`${system.name}:${role}`).filter((right) => !ofSecrets.test(right));
      expect(asked('api')).toEqual(rightsIn([...RIGHTS.api, ...RIGHTS.apiInTenants]));
      expect(asked('proxy')).toEqual(rightsIn(RIGHTS.proxy));
    });

    test('no role was refused anything that it asked for', async () => {
      expect((await fetch(`${proxy}/fn/${namespace}/hello`)).status).toBe(404);
      for (const role of ['api', 'proxy'])
        expect(await admin.run(['logs', role, '-n', system.name])).not.toMatch(
          /cannot \w+ resource "(?!secrets)/,
        );
    });

    test('a pod that is told to end does so in order', async () => {
      const logs = admin.run(['logs', '-f', 'proxy', '-n', system.name]);
      await admin.run(['delete', 'pod', 'proxy', '-n', system.name, '--wait=false']);
      expect(await logs).toContain('proxy ended');
    });
  });
}

interface Data {
  readonly data: Readonly<Record<string, string>>;
}
interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}
