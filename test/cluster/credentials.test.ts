import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inCluster } from '../../src/adapters/kubernetes/in-cluster.ts';
import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { record, told } from '../contracts/cluster/subject.ts';
import { type RealCluster, realCluster } from './adapter.ts';
import { clusterEnvironment } from './environment.ts';
import { kubectl } from './kubectl.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
const path = environment?.kubeconfig ?? '';
const namespace = `sless-rights-${randomBytes(5).toString('hex')}`;
const query = { kind: KINDS.ConfigMap, namespace };

describe.skipIf(environment === undefined)('a service account with its files in a folder', () => {
  const admin = kubectl(path);
  let folder: string;
  let own: RealCluster;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sless-account-'));
    const { server, tls } = await kubeconfig({ path })();
    const { hostname: host, port } = new URL(server);
    await admin.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader', namespace } },
    );
    await writeFile(join(folder, 'ca.crt'), tls.ca ?? '');
    await writeFile(join(folder, 'token'), await admin.run(['create', 'token', 'reader', '-n', namespace]));
    own = realCluster(inCluster({ host, port: port || '443', folder }));
  });
  afterAll(async () => {
    await own?.connection.close();
    await admin.run(['delete', 'namespace', namespace, '--wait=false']);
    await rm(folder, { recursive: true, force: true });
  });

  test('may not do what no role allows, and a watch that may not says why until it may', async () => {
    await expect(own.cluster.list(query)).rejects.toMatchObject({ code: 'Forbidden' });
    const watch = record(own.cluster, query);
    await waitFor({ for: 'the refusal', look: () => told(watch.events), holds: (all) => all[0] === 'lost' });
    expect(watch.events[0]).toMatchObject({ error: { code: 'Forbidden' } });
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    await admin.apply(
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'reader', namespace },
        rules,
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'reader', namespace },
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
      },
    );
    await waitFor({
      for: 'the watch after the right was given',
      look: () => watch.events.map(({ type }) => type),
      holds: (all) => all.join() === 'lost,synced',
    });
    watch.close();
    await expect(own.cluster.list(query)).resolves.toHaveProperty('items');
  });

  test('goes on when its token is replaced while it runs', async () => {
    const good = await admin.run(['create', 'token', 'reader', '-n', namespace]);
    await writeFile(join(folder, 'token'), 'refused');
    await waitFor({
      for: 'a refused token',
      look: () =>
        own.cluster.list(query).then(
          () => 'fine',
          (error: { code: string }) => error.code,
        ),
      holds: (outcome) => outcome === 'Unavailable',
    });
    await writeFile(join(folder, 'token'), good);
    await expect(own.cluster.list(query)).resolves.toHaveProperty('items');
  });

  test('a quota that refuses is Forbidden, with its words', async () => {
    const direct = realCluster(kubeconfig({ path }));
    const hard = { 'count/configmaps': '0' };
    await admin.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace },
      spec: { hard },
    });
    const create = (name: string) =>
      direct.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }).then(
        () => 'created',
        (error: Error & { code: string }) => `${error.code}: ${error.message}`,
      );
    let count = 0;
    const refused = await waitFor({
      for: 'the quota',
      look: () => create(`q-${count++}`),
      holds: (outcome) => outcome !== 'created',
    });
    expect(refused).toMatch(/^Forbidden: .*exceeded quota: q/);
    await direct.connection.close();
  });
});
