/** One request of a scenario, as the cluster port knows it. `apply` is with force. */
export interface Step {
  readonly do: 'create' | 'apply' | 'patch' | 'patchStatus' | 'delete';
  /** Who applies, where it is not `metacontroller`. */
  readonly manager?: string;
  /** The object, or the merge patch; for `delete` nothing. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Requests about one object of one kind, one after the other. */
export interface Scenario {
  readonly name: string;
  readonly kind: string;
  readonly object: string;
  readonly steps: readonly Step[];
}

const labels = { 'sless.dev/function': 'hello', 'sless.dev/component': 'server' };
const meta = (name: string, more: object = {}) => ({ name, namespace: 'recorded', ...more });

const functionContainer = {
  name: 'function',
  image: 'registry.local:5000/sless/recorded/hello@sha256:aa',
  env: [
    { name: 'SLESS_ENTRYPOINT', value: 'handler.handle' },
    { name: 'EMPTY', value: '' },
    { name: 'SECRET', valueFrom: { secretKeyRef: { name: 'fn-x', key: 'k' } } },
  ],
  envFrom: [{ secretRef: { name: 'fn-x' } }],
  ports: [{ name: 'http', containerPort: 8080 }],
  readinessProbe: { httpGet: { path: '/_sless/health', port: 'http' }, periodSeconds: 1 },
  resources: { requests: { cpu: '0.05', memory: '64Mi' }, limits: { cpu: '1000m', memory: '0.5Gi' } },
  securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
  terminationMessagePolicy: 'FallbackToLogsOnError',
  volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
};

const deployment = (container: object = {}, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: meta('hello', { labels: { ...labels, extra: 'a' } }),
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        containers: [{ ...functionContainer, ...container }],
        volumes: [
          { name: 'tmp', emptyDir: {} },
          { name: 'cfg', configMap: { name: 'c' } },
        ],
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: labels },
          },
        ],
      },
    },
    strategy: { rollingUpdate: { maxUnavailable: 0 } },
    ...spec,
  },
});

const env = (name: string, value: string) => ({ name, value });
const template = (podSpec: object) => ({ spec: { template: { spec: podSpec } } });

const service = (port: object, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta('hello'),
  spec: { selector: labels, ports: [port], ...spec },
});

const job = (spec: object = {}, image = 'busybox') => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: meta('build', { labels: { app: 'sless-builder' } }),
  spec: {
    backoffLimit: 0,
    activeDeadlineSeconds: 300,
    template: {
      metadata: { labels: { app: 'sless-builder' }, annotations: { a: 'b' } },
      spec: {
        restartPolicy: 'Never',
        initContainers: [{ name: 'fetch', image, command: ['true'] }],
        containers: [{ name: 'push', image: 'crane:latest' }],
        volumes: [
          {
            name: 'token',
            projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'sless-api' } }] },
          },
          { name: 'login', secret: { secretName: 'sless-registry-auth' } },
        ],
      },
    },
    podFailurePolicy: {
      rules: [
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
        { action: 'FailJob', onExitCodes: { containerName: 'push', operator: 'NotIn', values: [0] } },
      ],
    },
    ...spec,
  },
});

const configMap = (data: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: meta('cfg'),
  data,
  ...more,
});

const cron = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: meta('tick'),
  spec: {
    schedule: '*/5 * * * *',
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'call', image: 'curl:8' }] } },
      },
    },
  },
};

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta('pod'),
  spec: { containers: [{ name: 'c', image: 'busybox', livenessProbe: { tcpSocket: { port: 80 } } }] },
};

const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: meta('hello-1', { labels: { 'kubernetes.io/service-name': 'hello' } }),
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.0.7'], conditions: { ready: true } }],
};

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a Deployment is created with defaults, patched, and keeps its selector',
    kind: 'Deployment',
    object: 'hello',
    steps: [
      { do: 'create', body: deployment() },
      { do: 'patch', body: { metadata: { annotations: { note: 'x' } } } },
      { do: 'patch', body: { spec: { replicas: 3 } } },
      { do: 'patch', body: { spec: { replicas: 3 } } },
      { do: 'patch', body: { spec: { replicas: null } } },
      { do: 'patch', body: { spec: { selector: { matchLabels: { other: 'x' } } } } },
      { do: 'patch', body: { status: { replicas: 9 } } },
      { do: 'patchStatus', body: { status: { observedGeneration: 1, replicas: 2 }, spec: { replicas: 7 } } },
      { do: 'delete' },
    ],
  },
  {
    name: 'an applied Deployment loses what its manager drops and keeps what others set',
    kind: 'Deployment',
    object: 'hello',
    steps: [
      { do: 'apply', body: deployment() },
      { do: 'apply', body: deployment() },
      { do: 'patch', body: { metadata: { annotations: { foreign: 'kept' } }, spec: { paused: true } } },
      { do: 'apply', body: deployment({ env: [{ name: 'B', value: '2' }] }) },
      { do: 'apply', body: deployment({ readinessProbe: undefined, ports: undefined }) },
      { do: 'apply', body: deployment({}, { replicas: undefined }) },
      { do: 'patch', body: { spec: { replicas: 5 } } },
      { do: 'apply', body: deployment({}, { replicas: 1 }) },
      { do: 'apply', body: deployment({ resources: undefined, envFrom: undefined }) },
      { do: 'apply', body: deployment({}, { selector: { matchLabels: { other: 'x' } } }) },
    ],
  },
  {
    name: 'an item of a list that another has changed outlives its applier',
    kind: 'Deployment',
    object: 'hello',
    steps: [
      { do: 'apply', body: deployment({ env: [env('A', '1'), env('B', '1')] }) },
      {
        do: 'patch',
        body: template({ containers: [{ ...functionContainer, env: [env('A', '1'), env('B', '2')] }] }),
      },
      { do: 'apply', body: deployment({ env: [env('A', '1')] }) },
      { do: 'apply', body: deployment({ env: [env('B', '3'), env('A', '1')] }) },
      { do: 'apply', body: deployment({ env: undefined }) },
      {
        do: 'patch',
        body: template({ containers: [functionContainer, { name: 'sidecar', image: 'busybox' }] }),
      },
      { do: 'apply', body: deployment({ image: 'other:1' }) },
    ],
  },
  {
    name: 'two appliers share a list, its order and what both say',
    kind: 'Deployment',
    object: 'hello',
    steps: [
      { do: 'apply', body: deployment({ env: [env('A', '1'), env('B', '1'), env('C', '1')] }) },
      {
        do: 'apply',
        manager: 'another',
        body: deployment({ env: [env('X', '1'), env('C', '1'), env('A', '1')] }),
      },
      { do: 'apply', body: deployment({ env: [env('C', '2'), env('Y', '1')] }) },
      { do: 'apply', manager: 'another', body: deployment({ resources: { limits: { cpu: '1' } }, env: [] }) },
      { do: 'apply', body: deployment({ resources: { limits: { cpu: '1000m' } } }) },
      { do: 'apply', manager: 'another', body: { ...deployment(), metadata: meta('hello') } },
      { do: 'apply', body: { ...deployment(), metadata: meta('hello') } },
    ],
  },
  {
    name: 'an apply takes over what another made',
    kind: 'ConfigMap',
    object: 'cfg',
    steps: [
      { do: 'create', body: configMap({ a: '1', b: '1' }) },
      { do: 'apply', body: configMap({ a: '2', c: '1' }) },
      { do: 'apply', body: configMap({ c: '1' }) },
      { do: 'patch', body: { data: { c: '2' } } },
      { do: 'apply', body: configMap({}) },
      { do: 'patch', body: { data: { c: null } } },
      { do: 'apply', body: configMap({ d: '1' }, { immutable: true }) },
      { do: 'apply', body: configMap({ d: '2' }, { immutable: true }) },
      { do: 'patch', body: { metadata: { labels: { x: 'y' } } } },
    ],
  },
  {
    name: 'a Service keeps its address, merges ports by number and protocol',
    kind: 'Service',
    object: 'hello',
    steps: [
      { do: 'apply', body: service({ name: 'http', port: 8080, targetPort: 'http' }) },
      { do: 'apply', body: service({ name: 'http', port: 8080 }) },
      { do: 'apply', body: service({ name: 'http', port: 80 }) },
      { do: 'patch', body: { spec: { clusterIP: '10.97.1.1' } } },
      { do: 'patch', body: { spec: { selector: { only: 'this' } } } },
      { do: 'apply', body: service({ name: 'http', port: 80 }) },
      {
        do: 'apply',
        body: service(
          {},
          {
            ports: [
              { name: 'a', port: 53, protocol: 'UDP' },
              { name: 'b', port: 53 },
            ],
          },
        ),
      },
    ],
  },
  {
    name: 'a Job cannot change its template',
    kind: 'Job',
    object: 'build',
    steps: [
      { do: 'apply', body: job() },
      { do: 'apply', body: job() },
      { do: 'apply', body: job({}, 'alpine') },
      { do: 'patch', body: { spec: { suspend: true } } },
      { do: 'patch', body: { spec: { podFailurePolicy: null } } },
      {
        do: 'patch',
        body: { spec: { activeDeadlineSeconds: 10, ttlSecondsAfterFinished: 5, backoffLimit: 1 } },
      },
      { do: 'patch', body: { metadata: { annotations: { 'sless.dev/report': '{}' } } } },
      { do: 'patchStatus', body: { status: { active: 1 } } },
    ],
  },
  {
    name: 'a CronJob',
    kind: 'CronJob',
    object: 'tick',
    steps: [
      { do: 'create', body: cron },
      { do: 'apply', body: cron },
    ],
  },
  {
    name: 'a Pod can change little but its image',
    kind: 'Pod',
    object: 'pod',
    steps: [
      { do: 'create', body: pod },
      { do: 'patch', body: { metadata: { labels: { a: 'b' } } } },
      { do: 'patch', body: { spec: { hostname: 'x' } } },
      { do: 'patchStatus', body: { status: { phase: 'Running' } } },
    ],
  },
  {
    name: 'an EndpointSlice',
    kind: 'EndpointSlice',
    object: 'hello-1',
    steps: [
      { do: 'create', body: slice },
      { do: 'patch', body: { endpoints: [{ addresses: ['10.244.0.7'], conditions: { ready: false } }] } },
      { do: 'patch', body: { addressType: 'IPv6' } },
      { do: 'patchStatus', body: { status: {} } },
    ],
  },
  {
    name: 'a Secret takes text and keeps its type',
    kind: 'Secret',
    object: 'fn-x',
    steps: [
      {
        do: 'create',
        body: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: meta('fn-x'),
          data: { a: 'YQ==' },
          stringData: { k: 'v' },
        },
      },
      { do: 'patch', body: { stringData: { k: 'w' } } },
      { do: 'patch', body: { type: 'other' } },
      { do: 'patch', body: { data: { k: 'not base64!' } } },
    ],
  },
  {
    name: 'names and labels are checked',
    kind: 'ConfigMap',
    object: 'cfg',
    steps: [
      { do: 'create', body: { ...configMap({}), metadata: meta('Upper') } },
      { do: 'create', body: { ...configMap({}), metadata: meta('cfg', { labels: { a: 'not a value' } }) } },
      { do: 'create', body: { ...configMap({}), metadata: meta('cfg', { labels: { 'not a key': 'a' } }) } },
      { do: 'create', body: { ...configMap({ 'bad key': 'x' }) } },
      {
        do: 'create',
        body: { ...configMap({}), metadata: meta('cfg', { annotations: { big: 'x'.repeat(262_144) } }) },
      },
      { do: 'create', body: configMap({ empty: '' }) },
      { do: 'create', body: configMap({}) },
      { do: 'patch', body: { metadata: { uid: 'another' } } },
      { do: 'patch', body: { metadata: { name: 'another' } } },
      { do: 'patch', body: { metadata: { finalizers: ['sless.dev/x'], labels: { a: null } } } },
      { do: 'delete' },
      { do: 'patch', body: { metadata: { annotations: { still: 'here' } } } },
      { do: 'patch', body: { metadata: { finalizers: ['sless.dev/x', 'sless.dev/y'] } } },
      { do: 'delete' },
      { do: 'patch', body: { metadata: { finalizers: null } } },
      { do: 'patch', body: { data: { a: 'b' } } },
    ],
  },
];
