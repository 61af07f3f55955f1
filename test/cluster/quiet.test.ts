import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiServer } from './api-server.ts';
import { createCleanup } from './cleanup.ts';
import { installCrds } from './crds.ts';
import { type DriverName, drivers, startDriver } from './driver.ts';
import { type ClusterEnvironment, clusterEnvironment } from './environment.ts';
import type { HookTap } from './hook-tap.ts';
import { kubectl } from './kubectl.ts';
import { makeNamespace } from './namespace.ts';
import { operatorHere } from './operator-here.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
if (environment === undefined) test.skip('many Functions at rest', () => undefined);
else for (const name of strategies(environment)) atRest(name, environment);

/** Where there is a Metacontroller, its two strategies: how many the sync loop keeps is not what an installation meets. */
function strategies(given: ClusterEnvironment): DriverName[] {
  const all = drivers(given);
  return all.length === 1 ? all : all.filter((name) => name !== 'sync loop');
}

const WATCHED =
  'functions,triggers,functionjobs,deployments,replicasets,services,endpointslices,jobs,cronjobs,configmaps,networkpolicies,resourcequotas,limitranges,rolebindings,serviceaccounts';
/** As the run's own end leaves it, long after its Job has gone. */
const OVER = { phase: 'Succeeded', message: 'run 1 succeeded', runID: 1, lastRunID: 1 };
const IMAGE = `registry.local:5000/sless/quiet/fn@sha256:${'ab'.repeat(32)}`;

interface Listed {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: {
      readonly name: string;
      readonly resourceVersion: string;
      readonly labels?: Readonly<Record<string, string>>;
    };
    readonly status?: { readonly phase?: string };
  }[];
}

/**
 * Functions as they are long after their upload, none of which runs: their code is said to be built (the status is written before
 * a driver looks), and `replicas` is 0. So each has a Deployment without pods, a Service and an http Trigger, and what is counted is what
 * hooks, drivers and Kubernetes' own controllers do to these; pods of a Function that serves are no parents' or children's business.
 * Some have more: a schedule that is far away, a consumer, a run that is over and one that `runID: 0` skips.
 */
function atRest(driverName: DriverName, { kubeconfig, soak }: ClusterEnvironment): void {
  const [count, quietMs] = soak ? [200, 600_000] : [50, 60_000];
  describe(`${count} Functions at rest, driven by ${driverName}`, { timeout: quietMs + 400_000 }, () => {
    const cleanup = createCleanup();
    const admin = kubectl(kubeconfig);
    const names = Array.from({ length: count }, (_, index) => `quiet-${index}`);
    const some = names.filter((_, index) => index % 10 === 0);
    let namespace = '';
    let hooks: HookTap;

    beforeAll(async () => {
      const server = apiServer(kubeconfig);
      if (server === undefined) throw new Error('no API server');
      cleanup.add('API server', server.close);
      await installCrds(server);
      const made = await makeNamespace(admin, { 'sless.dev/tenant': 'true' });
      cleanup.add('namespace', made.drop);
      namespace = made.name;
      await admin.apply(...names.flatMap(built), ...some.flatMap(more));
      const say = async (plural: string, name: string, said: object) => {
        const path = `/apis/sless.dev/v1alpha1/namespaces/${namespace}/${plural}/${name}/status`;
        const merge = 'application/merge-patch+json';
        const { status, body } = await server.call('PATCH', path, { status: said }, merge);
        expect(status, JSON.stringify(body)).toBe(200);
      };
      for (const name of names) await say('functions', name, statusOf(name));
      for (const name of some) await say('functionjobs', `${name}-over`, OVER);
      hooks = await operatorHere();
      cleanup.add('operator', hooks.close);
      const driver = await startDriver(driverName, { environment: environment!, operatorUrl: hooks.url });
      cleanup.add('driver', driver.stop);
    }, 300_000);
    afterAll(() => cleanup.run(), 120_000);

    const keyOf = (name: string) => `contexts/${namespace}/${name}/v1.tar.gz`;
    const statusOf = (name: string) => ({
      image: IMAGE,
      builtKey: keyOf(name),
      runtimeImage: 'registry.local:5000/sless-runtime-python3.11:v1.0.0',
      lastBuiltAt: '2026-01-01T00:00:00Z',
    });
    function built(name: string): readonly object[] {
      const apiVersion = 'sless.dev/v1alpha1';
      const metadata = { name, namespace };
      const spec = { runtime: 'python3.11', replicas: 0, s3Key: keyOf(name) };
      return [
        { apiVersion, kind: 'Function', metadata, spec },
        { apiVersion, kind: 'Trigger', metadata, spec: { type: 'http', functionRef: name } },
      ];
    }
    function more(name: string): readonly object[] {
      const of = (kind: string, suffix: string, spec: object) => ({
        ...{ apiVersion: 'sless.dev/v1alpha1', kind, metadata: { name: `${name}-${suffix}`, namespace } },
        spec: { functionRef: name, ...spec },
      });
      return [
        of('Trigger', 'cron', { type: 'cron', schedule: '0 0 1 1 *', payload: '{"year":1}' }),
        of('Trigger', 'event', { type: 'event', queue: 'orders' }),
        of('FunctionJob', 'over', { runID: 1, eventJSON: '{}' }),
        of('FunctionJob', 'skipped', { runID: 0 }),
      ];
    }
    const listed = async () => ((await admin.get(WATCHED, '-n', namespace)) as Listed).items;
    const of = (items: Listed['items'], kind: string) => items.filter((item) => item.kind === kind);

    const consumers = (items: Listed['items']) =>
      of(items, 'ConfigMap').filter(({ metadata }) => metadata.labels?.['sless.dev/consumer'] === 'true');

    test(`nothing is written and no hook is called for ${quietMs / 1000} s`, async () => {
      await waitFor({
        for: 'every Function to be Ready with its Deployment and Service',
        timeoutMs: 180_000,
        look: listed,
        holds: (items) =>
          of(items, 'Deployment').length === count &&
          of(items, 'Service').length === count &&
          of(items, 'CronJob').length === some.length &&
          consumers(items).length === some.length &&
          of(items, 'FunctionJob').every(({ status }) => /^(Succeeded|Skipped)$/.test(status?.phase ?? '')) &&
          of(items, 'Function').every(({ status }) => status?.phase === 'Ready'),
      });
      let last = { state: '', since: Date.now() };
      await waitFor({
        for: `${quietMs / 1000} s without a write and without a call of a hook`,
        timeoutMs: quietMs + 120_000,
        intervalMs: 2_000,
        look: async () => {
          const versions = (await listed()).map(
            ({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`,
          );
          const state = JSON.stringify([hooks.callsAbout(namespace), versions]);
          if (state !== last.state) last = { state, since: Date.now() };
          return Date.now() - last.since;
        },
        holds: (sinceMs) => sinceMs >= quietMs,
      });
      const items = await listed();
      expect(of(items, 'Job')).toEqual([]);
      expect(of(items, 'Deployment')).toHaveLength(count);
      const calls = hooks.callsAbout(namespace).count;
      console.info(`${driverName}: ${calls} calls of hooks until ${count} Functions were at rest, then none`);
      expect(calls).toBeGreaterThan(count);
    });
  });
}
