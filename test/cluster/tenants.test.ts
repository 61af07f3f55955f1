import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { decorateNamespace, TENANT_DECORATOR_KINDS } from '../../src/resources/tenant/decorate.ts';
import { CHILDREN } from '../hooks/children.ts';
import { TENANT_SETTINGS } from '../hooks/settings.ts';
import { createCleanup } from './cleanup.ts';
import { type Driver, type DriverName, drivers, startDriver } from './driver.ts';
import { type ClusterEnvironment, clusterEnvironment } from './environment.ts';
import type { HookTap } from './hook-tap.ts';
import { kubectl } from './kubectl.ts';
import { makeNamespace } from './namespace.ts';
import { operatorHere } from './operator-here.ts';
import { waitFor } from './wait-for.ts';

/** `ensure` labels a namespace with the first. Under the second, kaniko alone does not run: it is root in its container. */
const LEVELS = { baseline: /./, restricted: /^(deployment|job-append)/ } as const;

const environment = clusterEnvironment();
if (environment === undefined) test.skip('namespaces of tenants on a cluster', () => undefined);
else {
  for (const name of drivers(environment)) driven(name, environment);
  podSecurity(environment);
}

const TENANT = { 'sless.dev/tenant': 'true' };
/** More than a driver takes to see what somebody did. */
const QUIET_MS = 8_000;
const KINDS = TENANT_DECORATOR_KINDS.children.map(({ plural }) => plural).join(',');

interface Listed {
  readonly items: readonly KubeObject[];
}

/** What the hook wants for a namespace, as it wants it. */
function wantedIn(name: string): readonly KubeObject[] {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: TENANT } };
  const request = { object, attachments: {}, related: {}, finalizing: false };
  return decorateNamespace(request, TENANT_SETTINGS).attachments;
}

const idOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

/** An object without what the server writes by itself: what the hook gave must be all of the rest. */
function given(stored: KubeObject): object {
  const { metadata, status: _, secrets: __, ...rest } = stored as KubeObject & { secrets?: unknown };
  const { name, namespace, labels } = metadata;
  return { ...rest, metadata: { labels, name, namespace } };
}

function driven(driverName: DriverName, { kubeconfig }: ClusterEnvironment): void {
  describe(`namespaces of tenants, driven by the ${driverName}`, () => {
    const cleanup = createCleanup();
    const admin = kubectl(kubeconfig);
    let hooks: HookTap;
    let driver: Driver;

    beforeAll(async () => {
      hooks = await operatorHere();
      cleanup.add('operator', hooks.close);
      driver = await startDriver(driverName, { environment: environment!, operatorUrl: hooks.url });
      cleanup.add('driver', driver.stop);
    });
    afterAll(() => cleanup.run());

    const make = async (labels: Readonly<Record<string, string>>) => {
      const namespace = await makeNamespace(admin, labels);
      cleanup.add(namespace.name, namespace.drop);
      return namespace.name;
    };
    const ours = async (namespace: string): Promise<readonly KubeObject[]> => {
      const { items } = (await admin.get(KINDS, '-n', namespace)) as Listed;
      return items.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'sless');
    };
    const filled = (namespace: string) =>
      waitFor({
        for: `${namespace} to have received everything`,
        look: () => ours(namespace),
        holds: (objects) => objects.length === wantedIn(namespace).length,
      }).catch((error) => {
        throw new Error(`${error}\n${driver.log().slice(-4000)}`, { cause: error });
      });

    test('one that was labelled by hand receives all of it, stored word for word as the hook says', async () => {
      const namespace = await make(TENANT);
      const stored = await filled(namespace);
      const byId = (objects: readonly KubeObject[]) =>
        Object.fromEntries(objects.map((object) => [idOf(object), object]));
      const wanted = byId(wantedIn(namespace).map((object) => given(object) as KubeObject));
      expect(byId(stored.map((object) => given(object) as KubeObject))).toEqual(wanted);
    });

    test('one that is labelled later receives it then; another one never', async () => {
      const [later, never] = [await make({}), await make({ 'sless.dev/tenant': 'false' })];
      await admin.run(['label', 'namespace', later, 'sless.dev/tenant=true']);
      await filled(later);
      expect(await ours(never)).toEqual([]);
      await admin.run(['label', 'namespace', later, 'sless.dev/tenant-']);
      await quiet(later);
      expect(await ours(later)).toHaveLength(wantedIn(later).length);
    });

    test('what somebody changed or deleted is put right', async () => {
      const namespace = await make(TENANT);
      await filled(namespace);
      await admin.run(['delete', 'networkpolicy', 'sless-functions', '-n', namespace]);
      const patch = JSON.stringify({ spec: { hard: { 'count/jobs.batch': '9999' } } });
      await admin.run(['patch', 'resourcequota', 'sless', '-n', namespace, '--type=merge', '-p', patch]);
      const quota = wantedIn(namespace).find(({ kind }) => kind === 'ResourceQuota');
      await waitFor({
        for: 'the policy and the quota to be as before',
        look: () => ours(namespace),
        holds: (objects) =>
          objects.length === wantedIn(namespace).length &&
          objects.some(
            ({ kind, spec }) =>
              kind === 'ResourceQuota' && JSON.stringify(spec) === JSON.stringify(quota?.spec),
          ),
      });
    });

    test('a namespace that goes takes all of it along, and nothing is left hanging', async () => {
      const namespace = await make(TENANT);
      await filled(namespace);
      await admin.run(['delete', 'namespace', namespace, '--wait=false']);
      await waitFor({
        for: 'the namespace to be gone',
        look: () => admin.run(['get', 'namespace', namespace, '--ignore-not-found']),
        holds: (text) => text === '',
      });
    });

    test('once all is there, nothing is written and no hook is called', async () => {
      const namespace = await make(TENANT);
      await filled(namespace);
      await quiet(namespace);
    });

    /** Waits for a time without a write and without a call. */
    async function quiet(namespace: string): Promise<void> {
      let last = { state: '', since: Date.now() };
      await waitFor({
        for: `${QUIET_MS / 1000} s of quiet about ${namespace}`,
        intervalMs: 500,
        look: async () => {
          const versions = (await ours(namespace)).map(({ metadata }) => metadata.resourceVersion);
          const state = JSON.stringify([hooks.callsAbout(namespace), versions]);
          if (state !== last.state) last = { state, since: Date.now() };
          return Date.now() - last.since;
        },
        holds: (quietMs) => quietMs >= QUIET_MS,
      });
    }
  });
}

function podSecurity({ kubeconfig }: ClusterEnvironment): void {
  describe.each(Object.entries(LEVELS))('under Pod Security %s', (level, admitted) => {
    const cleanup = createCleanup();
    const admin = kubectl(kubeconfig);
    let namespace = '';
    beforeAll(async () => {
      const made = await makeNamespace(admin, { 'pod-security.kubernetes.io/enforce': level });
      cleanup.add('namespace', made.drop);
      namespace = made.name;
      await admin.apply(account());
    });
    afterAll(() => cleanup.run());

    const account = () => wantedIn(namespace).find(({ kind }) => kind === 'ServiceAccount')!;
    /** As an account that is surely there: `default` comes a moment after its namespace. */
    const admit = (spec: object) =>
      admin.run(
        ['create', '--dry-run=server', '-f', '-'],
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'probe', namespace },
          spec: { serviceAccountName: account().metadata.name, ...spec },
        }),
      );
    const templates = Object.entries(CHILDREN).flatMap(([name, child]) => {
      const { template } = child.spec as { readonly template?: { readonly spec: object } };
      return template === undefined ? [] : [[name, template.spec] as const];
    });

    test.each(templates)('the pods of %s are judged as they shall be', async (name, spec) => {
      const said = await admit(spec).catch(String);
      if (admitted.test(name)) expect(said).toContain('pod/probe created');
      else expect(said).toContain(`violates PodSecurity "${level}`);
    });

    test('and a privileged one is not', async () => {
      const [, spec] = templates[0] as readonly [string, { readonly containers: readonly object[] }];
      const containers = spec.containers.map((container) => ({
        ...container,
        securityContext: { privileged: true },
      }));
      await expect(admit({ ...spec, containers })).rejects.toThrow(`violates PodSecurity "${level}`);
    });
  });
}
