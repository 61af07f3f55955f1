import { SERVICE_ACCOUNT_FOLDER } from '../../src/adapters/kubernetes/in-cluster.ts';
import { confinedContainer } from '../../src/resources/kube/pod.ts';
import type { Kubectl } from './kubectl.ts';
import { RIGHTS } from './rights.ts';
import type { RightsUsed } from './rights-used.ts';
import { waitFor } from './wait-for.ts';

export interface RolePod {
  readonly address: string;
  /** Takes its rights in the whole cluster away; the rest goes with the namespace. */
  drop(): Promise<void>;
}

interface Order {
  readonly role: 'api' | 'proxy';
  readonly namespace: string;
  readonly image: string;
  readonly used: RightsUsed;
  readonly env: Readonly<Record<string, string>>;
}

/** A role in a pod, as an account with the rights of the chart in the whole cluster; returns once it is ready. */
export async function startRolePod(admin: Kubectl, order: Order): Promise<RolePod> {
  const { role, namespace, used } = order;
  const rbac = 'rbac.authorization.k8s.io';
  const name = `${namespace}-${role}`;
  const meta = { name: role, namespace };
  const drop = async () => {
    for (const kind of ['clusterrole', 'clusterrolebinding'])
      await admin.run(['delete', kind, name, '--ignore-not-found']);
  };
  await admin.apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'recorder', namespace },
      data: { 'ca.crt': used.ca },
    },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules: RIGHTS[role] },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', ...meta }],
    },
    { apiVersion: 'v1', kind: 'Pod', metadata: meta, spec: podSpec(order) },
  );
  try {
    const pod = await waitFor({
      for: `${role} ready`,
      timeoutMs: 150_000,
      look: async () => (await admin.get('pod', role, '-n', namespace)) as Pod,
      holds: ({ status }) =>
        status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    });
    return { address: pod.status.podIP ?? '', drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Its own login, and the way to the API server that every pod has, but past who writes down what it asks. */
function podSpec({ role, image, used, env }: Order): object {
  const server = { KUBERNETES_SERVICE_HOST: used.host, KUBERNETES_SERVICE_PORT: String(used.port) };
  const all = { EXTERNAL_URL: 'http://sless.example.com', LOG_LEVEL: 'debug', ...server, ...env };
  return {
    serviceAccountName: role,
    automountServiceAccountToken: false,
    containers: [
      {
        name: role,
        image,
        args: [role],
        env: Object.entries(all).map(([key, value]) => ({ name: key, value })),
        readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
        securityContext: confinedContainer(),
        volumeMounts: [
          { name: 'tmp', mountPath: '/tmp' },
          { name: 'account', mountPath: SERVICE_ACCOUNT_FOLDER },
        ],
      },
    ],
    volumes: [
      { name: 'tmp', emptyDir: {} },
      {
        name: 'account',
        projected: {
          sources: [
            { serviceAccountToken: { path: 'token' } },
            { configMap: { name: 'recorder', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          ],
        },
      },
    ],
  };
}

interface Pod {
  readonly status: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}
