import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiServer } from './api-server.ts';
import { createCleanup } from './cleanup.ts';
import { installCrds } from './crds.ts';
import { drivers, startDriver } from './driver.ts';
import { type ClusterEnvironment, clusterEnvironment } from './environment.ts';
import { kubectl } from './kubectl.ts';
import { makeNamespace } from './namespace.ts';
import { type Program, startProgram } from './program.ts';
import { waitFor } from './wait-for.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}
interface Listed {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: {
      readonly name: string;
      readonly uid: string;
      readonly labels?: Readonly<Record<string, string>>;
    };
    readonly status?: {
      readonly phase?: string;
      readonly startTime?: string;
      readonly conditions?: readonly Condition[];
    };
  }[];
}

const environment = clusterEnvironment();
const DIGEST = `sha256:${'cd'.repeat(32)}`;

if (environment !== undefined) for (const name of drivers(environment)) driven(name, environment);
else test.skip('an operator in a process of its own', () => undefined);

/** Build and rollout as far as they are objects: a quota lets no pod run, so that no image is needed. */
function driven(name: Parameters<typeof startDriver>[0], given: ClusterEnvironment): void {
  describe(`an operator in a process of its own, driven by the ${name}`, () => {
    const cleanup = createCleanup();
    const admin = kubectl(given.kubeconfig);
    let namespace: string;
    let operator: Program;
    const startOperator = async (port?: number): Promise<void> => {
      operator = await startProgram({
        role: 'operator',
        host: '127.0.0.1',
        ...(port === undefined ? {} : { port }),
        env: {
          REGISTRY_HOST: 'registry.local:5000',
          S3_BUCKET: 'sless',
          EXTERNAL_URL: 'http://sless.example.com',
        },
      });
    };

    beforeAll(async () => {
      const server = apiServer(given.kubeconfig);
      if (server === undefined) throw new Error('no API server');
      await installCrds(server);
      server.close();
      const own = await makeNamespace(admin, { 'sless.dev/tenant': 'true' });
      cleanup.add('namespace', own.drop);
      namespace = own.name;
      const hard = { pods: '0' };
      await admin.apply({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q', namespace },
        spec: { hard },
      });
      await startOperator();
      cleanup.add('operator', () => operator.stop());
      const driver = await startDriver(name, { environment: given, operatorUrl: operator.url });
      cleanup.add('driver', driver.stop);
    });
    afterAll(() => cleanup.run());

    const list = async (kinds: string) => ((await admin.get(kinds, '-n', namespace)) as Listed).items;
    const hello = async () => (await list('functions')).find(({ metadata }) => metadata.name === 'hello');
    const phase = (wanted: string) =>
      waitFor({
        for: `the Function ${wanted}`,
        look: hello,
        holds: (found) => found?.status?.phase === wanted,
      });
    const fn = (s3Key: string) => ({
      apiVersion: 'sless.dev/v1alpha1',
      kind: 'Function',
      metadata: { name: 'hello', namespace },
      spec: { runtime: 'nodejs20', build: 'append', s3Key },
    });

    test('a Function becomes one build Job, though the operator is killed as it does', async () => {
      await admin.apply(fn(`contexts/${namespace}/hello/1.tar.gz`));
      const port = Number(new URL(operator.url).port);
      await operator.kill();
      await startOperator(port);
      await phase('Building');
      expect(await list('jobs')).toHaveLength(1);
    });

    test('a build that is done becomes a Deployment and a Service, and the Job goes', async () => {
      const [job] = await waitFor({
        for: 'a Job that has begun',
        look: () => list('jobs'),
        holds: ([first]) => first?.status?.startTime !== undefined,
      });
      const target = ['job', job?.metadata.name ?? '', '-n', namespace, '--type=merge'];
      const report = { 'sless.dev/report': JSON.stringify({ digest: DIGEST }) };
      await admin.run(['patch', ...target, '-p', JSON.stringify({ metadata: { annotations: report } })]);
      const time = job?.status?.startTime;
      const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: time,
      }));
      const status = { succeeded: 1, active: 0, ready: 0, completionTime: time, conditions };
      await admin.run(['patch', ...target, '--subresource=status', '-p', JSON.stringify({ status })]);
      await phase('Deploying');
      const children = await waitFor({
        for: 'Deployment and Service alone',
        look: async () => (await list('deployments,services,jobs')).map(({ kind }) => kind).sort(),
        holds: (kinds) => kinds.join() === 'Deployment,Service',
      });
      expect(children).toEqual(['Deployment', 'Service']);
    });

    test('a Trigger is labelled and disabling it asks for no pods', async () => {
      const trigger = (enabled: boolean) => ({
        apiVersion: 'sless.dev/v1alpha1',
        kind: 'Trigger',
        metadata: { name: 'web', namespace },
        spec: { type: 'http', functionRef: 'hello', enabled },
      });
      await admin.apply(trigger(false));
      await waitFor({
        for: 'the label',
        look: () => list('triggers'),
        holds: ([found]) => found?.metadata.labels?.['sless.dev/function'] === 'hello',
      });
      const ready = await phase('Ready');
      expect(ready?.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', reason: 'Stopped' }),
      );
      await admin.apply(trigger(true));
      await phase('Deploying');
    });

    test('a Function made again under its name at once has children of its own', async () => {
      const before = (await list('deployments'))[0]?.metadata.uid;
      await admin.run(['delete', 'function', 'hello', '-n', namespace]);
      await admin.apply(fn(`contexts/${namespace}/hello/2.tar.gz`));
      await phase('Building');
      await waitFor({
        for: 'the old Deployment gone',
        look: () => list('deployments'),
        holds: (all) => all.every(({ metadata }) => metadata.uid !== before),
      });
      expect(await list('jobs')).toHaveLength(1);
    });

    test('a Function that is deleted leaves nothing behind', async () => {
      await admin.run(['delete', 'function', 'hello', '-n', namespace]);
      await waitFor({
        for: 'nothing left',
        look: () => list('deployments,services,jobs'),
        holds: (all) => all.length === 0,
      });
    });
  });
}
