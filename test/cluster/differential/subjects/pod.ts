import fc from 'fast-check';
import type { Json } from '../step.ts';
import { one, pick, some } from './metadata.ts';

const variable = (name: string) =>
  fc.oneof(
    { weight: 3, arbitrary: one<Json>({ name, value: '1' }, { name, value: '2' }) },
    {
      weight: 1,
      arbitrary: one<Json>(
        { name },
        { name, value: '' },
        { name, valueFrom: { secretKeyRef: { name: 'fn-x', key: 'k' } } },
        { name, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ),
    },
  );
const env = fc
  .tuple(variable('A'), variable('B'), variable('C'))
  .chain((variables) => fc.shuffledSubarray([...variables], { minLength: 0 }));

const amounts = some({
  cpu: one<unknown>('0.5', '500m', '1', '1000m', 1),
  memory: one('64Mi', '1024Mi', '1Gi', '0.5Gi'),
});
const probe = one<Json>(
  { httpGet: { path: '/_sless/health', port: 'http' }, periodSeconds: 1 },
  { httpGet: { port: 8080 }, failureThreshold: 5 },
  { tcpSocket: { port: 8080 } },
  { exec: { command: ['true'] } },
);

/** What a container says beside its name. */
const containerFields = {
  env,
  envFrom: pick({ secretRef: { name: 'fn-a' } }, { secretRef: { name: 'fn-b' } }),
  command: one(['true'], []),
  ports: pick({ name: 'http', containerPort: 8080 }, { containerPort: 9090, protocol: 'UDP' }),
  resources: some({ requests: amounts, limits: one<Json>({ cpu: '2', memory: '2Gi' }, {}) }),
  readinessProbe: probe,
  lifecycle: one<Json>({ preStop: { sleep: { seconds: 3 } } }),
  securityContext: one<Json>(
    { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    {},
  ),
  terminationMessagePolicy: one('FallbackToLogsOnError'),
  imagePullPolicy: one('IfNotPresent', 'Always'),
  volumeMounts: pick(
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'tmp', mountPath: '/var/tmp', readOnly: true },
  ),
};

const image = one('registry.local:5000/a:1', 'registry.local:5000/a@sha256:aa', 'busybox', 'a:latest');

/** A container of that name, complete. */
const container = (name: string): fc.Arbitrary<Json> =>
  fc.tuple(image, some(containerFields)).map(([from, fields]) => ({ name, image: from, ...fields }));

/** Part of a container, enough to be merged into one that is there. */
const someContainer = (name: string): fc.Arbitrary<Json> =>
  some({ ...containerFields, image }).map((fields) => ({ name, ...fields }));

const containers = (make: (name: string) => fc.Arbitrary<Json>) =>
  fc.oneof(
    { weight: 3, arbitrary: make('function').map((first) => [first]) },
    { weight: 1, arbitrary: fc.tuple(make('function'), make('side')).chain((both) => pick(...both)) },
  );

const podFields = {
  automountServiceAccountToken: one(false),
  enableServiceLinks: one(false),
  terminationGracePeriodSeconds: one(10, 30, 68),
  securityContext: one<Json>({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }, {}),
  imagePullSecrets: pick({ name: 'sless-pull' }, { name: 'other' }),
  serviceAccountName: one('sless-builder', ''),
  nodeSelector: one<Json>({ none: 'such' }, {}),
  hostAliases: pick({ ip: '10.0.0.1', hostnames: ['a'] }),
  tolerations: one<Json[]>([{ key: 'a', operator: 'Exists' }], []),
  topologySpreadConstraints: pick({
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: 'a' } },
  }),
};

/** The volume that containers mount comes first; the others as they like. */
const volumes = pick(
  { name: 'login', secret: { secretName: 'sless-registry-auth' } },
  { name: 'settings', configMap: { name: 'c', defaultMode: 256 } },
  {
    name: 'token',
    projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'sless-api' } }] },
  },
  { name: 'event', downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] } },
).chain((more) =>
  one<Json>({ name: 'tmp', emptyDir: {} }, { name: 'tmp', emptyDir: { sizeLimit: '1024Mi' } }).map((tmp) => [
    tmp,
    ...more,
  ]),
);

/** The spec of a pod, complete. */
export const podSpec: fc.Arbitrary<Json> = fc
  .tuple(containers(container), volumes, some(podFields))
  .map(([all, mounted, fields]) => ({ containers: all, volumes: mounted, ...fields }));

/** Some of a pod's spec. */
export const somePodSpec: fc.Arbitrary<Json> = fc.oneof(
  containers(someContainer).map((all) => ({ containers: all })),
  some(podFields),
  volumes.map((all) => ({ volumes: all })),
);
