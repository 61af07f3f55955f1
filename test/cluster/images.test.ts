import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { imageOrders } from '../../images/build-with-crane.ts';
import { run } from '../../images/crane/command.ts';
import { buildImage } from '../../images/crane/image.ts';
import { openRegistry } from '../../images/crane/registry.ts';
import { confinedContainer, confinedPod } from '../../src/resources/kube/pod.ts';
import { clusterEnvironment } from './environment.ts';
import { kubectl } from './kubectl.ts';
import { makeNamespace, type TestNamespace } from './namespace.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
const host = environment?.registryHost;
if (environment !== undefined && host === undefined)
  console.warn('SKIPPED: REGISTRY_HOST is not set, so no image is built and run');

/** What a function of each runtime looks like; a runtime without one here is built and not called. */
const HELLO: Readonly<Record<string, { readonly file: string; readonly code: string }>> = {
  nodejs20: { file: 'handler.js', code: 'exports.handle = (event) => ({ hello: event.name });\n' },
  'python3.11': { file: 'handler.py', code: 'def handle(event):\n    return {"hello": event["name"]}\n' },
};

interface Pod {
  readonly status: {
    readonly podIP?: string;
    readonly conditions?: readonly { type: string; status: string }[];
  };
}

describe.skipIf(host === undefined)('images', { timeout: 300_000 }, () => {
  const registry = openRegistry({ host: host ?? '', insecure: environment?.registryInsecure ?? false });
  const admin = kubectl(environment?.kubeconfig ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'sless-images-'));
  let namespace: TestNamespace;
  beforeAll(async () => {
    namespace = await makeNamespace(admin);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await namespace?.drop();
  });

  const start = async (name: string, container: object): Promise<string> => {
    await admin.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: namespace.name },
      spec: {
        ...confinedPod(),
        containers: [
          {
            name: 'main',
            securityContext: confinedContainer(),
            ...container,
            volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
          },
        ],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      },
    });
    const pod = await waitFor({
      for: `pod ${name} ready`,
      timeoutMs: 150_000,
      look: async () => (await admin.get('pod', name, '-n', namespace.name)) as Pod,
      holds: ({ status }) =>
        status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    });
    return pod.status.podIP ?? '';
  };
  const probe = (path: string, port: number) => ({
    readinessProbe: { httpGet: { path, port }, periodSeconds: 1 },
  });

  test('sless itself starts in a pod as an unknown user with a read-only root', async () => {
    const order = imageOrders().find(({ image }) => image.startsWith('sless:'));
    const image = await buildImage(registry, order!);
    const env = { REGISTRY_HOST: host ?? '', S3_BUCKET: 'b', EXTERNAL_URL: 'http://localhost' };
    const ip = await start('operator', {
      image,
      args: ['operator'],
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
      ...probe('/readyz', 8443),
    });
    expect(await (await fetch(`http://${ip}:8443/healthz`)).text()).toBe('ok');
  });

  const runtimes = imageOrders().filter(({ image }) => image.startsWith('sless-runtime-'));
  test.each(runtimes.map((order) => [order.image, order] as const))(
    '%s answers in a pod',
    async (_image, order) => {
      const base = await buildImage(registry, order);
      const name = order.context.split('/').at(-1) ?? '';
      const hello = HELLO[name];
      if (hello === undefined) return;
      const tree = join(folder, name);
      const file = join(tree, 'app/function', hello.file);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, hello.code);
      await run(['tar', '-c', '-f', `${tree}.tar`, '-C', tree, `app/function/${hello.file}`]);
      const image = `${host}/${namespace.name}/${name}:v1`;
      const flags = environment?.registryInsecure ? ['--insecure'] : [];
      await run(['crane', 'append', '-b', base, '-f', `${tree}.tar`, '-t', image, ...flags]);
      const ip = await start(name.replace('.', '-'), { image, ...probe('/_sless/health', 8080) });
      const response = await fetch(`http://${ip}:8080/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"мир"}',
      });
      expect(await response.json()).toEqual({ hello: 'мир' });
    },
  );
});
