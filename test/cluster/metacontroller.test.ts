import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOperator } from '../../src/operator/app.ts';
import { type OperatorServer, serveOperator } from '../../src/operator/server.ts';
import type { Logger } from '../../src/ports/logger.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { SETTINGS } from '../hooks/settings.ts';
import { apiServer } from './api-server.ts';
import { ensureNamespace, installCrds } from './crds.ts';
import {
  installControllers,
  installMetacontrollerCrds,
  removeMetacontrollerCrds,
  startMetacontroller,
} from './metacontroller.ts';
import { namespaceObjects } from './namespace-objects.ts';

const server = apiServer();
const binary = process.env.METACONTROLLER;
const isPossible: boolean = server !== undefined && binary !== undefined;
if (!isPossible)
  console.warn('SKIPPED: hooks under the real Metacontroller need KUBECONFIG and METACONTROLLER');

const quiet: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => quiet,
};
afterAll(async () => {
  if (server === undefined) return;
  await removeMetacontrollerCrds(server);
  server.close();
});

/** What the hooks ask for while they wait, and a little more. */
const RESYNC_MS = 6000;
const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe.skipIf(!isPossible).each(['dynamic-apply', 'server-side-apply'])(
  'under the real Metacontroller, %s',
  (strategy) => {
    const namespace = `sless-test-mc-${strategy.slice(0, 4).replaceAll('-', '')}`;
    let operator: OperatorServer;
    let metacontroller: ReturnType<typeof startMetacontroller>;
    let controllers: readonly string[];
    let hookCalls: string[] = [];
    let lastCall = 0;

    const objects = namespaceObjects(server, namespace);
    const { call, get, list, create, patch, pathOf } = objects;

    const eventually = (check: () => Promise<void>) =>
      vi.waitFor(check, { timeout: 40_000, interval: 200 }).catch((error) => {
        throw new Error(`${String(error)}\n${metacontroller.log().slice(-4000)}`, { cause: error });
      });
    const verdictOf = async (): Promise<string> => {
      const { status = {} } = (await get(KINDS.Function, 'hello')) as { status?: Record<string, unknown> };
      const conditions = (status.conditions ?? []) as readonly { type: string; reason: string }[];
      return `${status.phase} ${conditions.find(({ type }) => type === 'Ready')?.reason}`;
    };
    const versions = async (): Promise<string> => {
      const all = [
        await get(KINDS.Function, 'hello'),
        await get(KINDS.Deployment, 'hello'),
        await get(KINDS.Service, 'hello'),
        await get(KINDS.Trigger, 'web'),
      ];
      return all.map(({ kind, metadata }) => `${kind} ${metadata.resourceVersion}`).join(', ');
    };
    /** Nothing is written, and no hook is called, for so long; once the last resync that was asked for has come. */
    async function expectQuiet(seconds: number): Promise<void> {
      await vi.waitFor(() => expect(Date.now() - lastCall).toBeGreaterThan(RESYNC_MS), { timeout: 30_000 });
      const before = await versions();
      hookCalls = [];
      const until = Date.now() + seconds * 1000;
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(until), { timeout: seconds * 1000 + 10_000 });
      expect({ versions: await versions(), hookCalls }).toEqual({ versions: before, hookCalls: [] });
    }

    beforeAll(async () => {
      if (server === undefined || binary === undefined) return;
      await installCrds(server);
      await installMetacontrollerCrds(server);
      await ensureNamespace(server, namespace);
      // No pod shall run: this is about objects, and the images are made up.
      await call('POST', `/api/v1/namespaces/${namespace}/resourcequotas`, {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'no-pods' },
        spec: { hard: { pods: '0' } },
      });
      const app = createOperator({ settings: SETTINGS, clock: Date, logger: quiet });
      // Others may use this cluster too; only calls about this namespace count.
      const counting = new Hono().use(async (c, next) => {
        if ((await c.req.text()).includes(`"namespace":"${namespace}"`)) {
          lastCall = Date.now();
          hookCalls.push(c.req.path);
        }
        await next();
      });
      counting.route('/', app);
      operator = await serveOperator(counting, { host: '127.0.0.1', port: 0 }, quiet);
      controllers = await installControllers(server, `http://127.0.0.1:${operator.port}`);
      metacontroller = startMetacontroller(binary, strategy, process.env.KUBECONFIG ?? '');
    });

    afterAll(async () => {
      if (server === undefined) return;
      await server.call('DELETE', `/api/v1/namespaces/${namespace}`);
      for (const path of controllers ?? []) await server.call('DELETE', path);
      await metacontroller?.stop();
      await operator?.drain.close(0);
    });

    test('a Function becomes a Job, then a Deployment and a Service; the Job goes', async () => {
      await create(KINDS.Function, 'hello', {
        runtime: 'python3.11',
        s3Key: `contexts/${namespace}/hello/v1.tar.gz`,
        env: { EMPTY: '', HOME_TEXT: '$(HOME)' },
        resources: { limits: { cpu: '0.5' } },
      });
      await create(KINDS.Trigger, 'web', { type: 'http', functionRef: 'hello', enabled: false });
      await eventually(async () => expect(await verdictOf()).toBe('Building Building'));
      await finishBuild();
      await eventually(async () => {
        expect(await list(KINDS.Job)).toEqual([]);
        expect(await verdictOf()).toBe('Ready Stopped');
      });
      const { status } = (await get(KINDS.Function, 'hello')) as { status?: object };
      expect(status).toMatchObject({
        image: expect.stringContaining(DIGEST),
        replicas: 0,
        observedGeneration: 1,
      });
    });

    /** Says of the Job that it is complete, as reporter and controller would; the latter has only set the start. */
    async function finishBuild(): Promise<void> {
      await eventually(async () => {
        const [job] = await list(KINDS.Job);
        const { startTime } = (job?.status ?? {}) as { startTime?: string };
        expect(startTime).toBeDefined();
        const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: startTime });
        const conditions = [condition('SuccessCriteriaMet'), condition('Complete')];
        const status = { succeeded: 1, active: 0, ready: 0, completionTime: startTime, conditions };
        const name = job?.metadata.name ?? '';
        const annotations = { 'sless.dev/report': JSON.stringify({ digest: DIGEST }) };
        await patch(KINDS.Job, name, { metadata: { annotations } });
        await objects.patchStatus(KINDS.Job, name, status);
      });
    }

    test('the decorator labels the Trigger, and its status says the address', async () => {
      await eventually(async () => {
        const { metadata, status } = (await get(KINDS.Trigger, 'web')) as KubeObject & { status?: object };
        expect(metadata.labels).toMatchObject({ 'sless.dev/function': 'hello' });
        expect(status).toMatchObject({
          active: false,
          url: `https://sless.example.com/fn/${namespace}/hello`,
        });
      });
    });

    test('then all is quiet', async () => {
      await expectQuiet(10);
    });

    test('a bad spec changes nothing of what runs', async () => {
      const before = await get(KINDS.Deployment, 'hello');
      const service = await get(KINDS.Service, 'hello');
      await patch(KINDS.Function, 'hello', { spec: { runtime: 'cobol' } });
      await eventually(async () => expect(await verdictOf()).toBe('Failed UnknownRuntime'));
      await expectQuiet(3);
      expect((await get(KINDS.Deployment, 'hello')).metadata.resourceVersion).toBe(
        before.metadata.resourceVersion,
      );
      expect((await get(KINDS.Service, 'hello')).metadata.resourceVersion).toBe(
        service.metadata.resourceVersion,
      );
      await patch(KINDS.Function, 'hello', { spec: { runtime: 'python3.11' } });
      await eventually(async () => expect(await verdictOf()).toBe('Ready Stopped'));
    });

    test('a lost status comes back from the Deployment, and nothing is built', async () => {
      const before = await get(KINDS.Deployment, 'hello');
      const path = `${pathOf(KINDS.Function, 'hello')}/status`;
      const { metadata } = await get(KINDS.Function, 'hello');
      const parent = { apiVersion: KINDS.Function.apiVersion, kind: 'Function', metadata };
      await call('PUT', path, { ...parent, spec: { runtime: 'python3.11' }, status: {} });
      // A status alone wakes nobody; the next change of the object does.
      await patch(KINDS.Function, 'hello', { metadata: { annotations: { touched: 'yes' } } });
      await eventually(async () => expect(await verdictOf()).toBe('Ready Stopped'));
      expect((await get(KINDS.Deployment, 'hello')).metadata.resourceVersion).toBe(
        before.metadata.resourceVersion,
      );
      expect(await list(KINDS.Job)).toEqual([]);
    });

    test('variables come and go, and the environment arrives as it was written', async () => {
      await patch(KINDS.Function, 'hello', {
        spec: { env: { EMPTY: null, ADDED: 'a', HOME_TEXT: '$$(HOME)' } },
      });
      await eventually(async () => {
        const text = JSON.stringify((await get(KINDS.Deployment, 'hello')).spec);
        expect(text).toContain('"name":"ADDED","value":"a"');
        expect(text).toContain('"value":"$$$$(HOME)"');
        expect(text).not.toContain('EMPTY');
      });
      await eventually(async () => expect(await verdictOf()).toBe('Ready Stopped'));
      await expectQuiet(5);
    });

    test('started again, a quota that refuses pods shows as the reason', async () => {
      await patch(KINDS.Trigger, 'web', { spec: { enabled: true } });
      await eventually(async () => expect(await verdictOf()).toBe('Deploying ChildNotApplied'));
    });

    test('a Function made again under its name is not the old one', async () => {
      const { metadata } = await get(KINDS.Deployment, 'hello');
      await call('DELETE', pathOf(KINDS.Function, 'hello'));
      await create(KINDS.Function, 'hello', {
        runtime: 'python3.11',
        s3Key: `contexts/${namespace}/hello/v1.tar.gz`,
      });
      await eventually(async () => expect(await verdictOf()).toBe('Building Building'));
      await finishBuild();
      await eventually(async () => {
        const next = await get(KINDS.Deployment, 'hello');
        expect(next.metadata.uid).not.toBe(metadata.uid);
      });
    });

    test('a Function that is deleted leaves nothing behind', async () => {
      await call('DELETE', pathOf(KINDS.Function, 'hello'));
      await eventually(async () => {
        for (const kind of [KINDS.Job, KINDS.Deployment, KINDS.Service]) expect(await list(kind)).toEqual([]);
      });
    });
  },
);
