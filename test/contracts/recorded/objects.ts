/** Objects of the scenarios: each as a writer would say it, to be varied. */
export const labels = { 'sless.dev/function': 'hello', 'sless.dev/component': 'server' };
export const meta = (name: string, more: object = {}) => ({ name, namespace: 'recorded', ...more });

export const functionContainer = {
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

export const deployment = (container: object = {}, spec: object = {}) => ({
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

export const env = (name: string, value: string) => ({ name, value });
export const template = (podSpec: object) => ({ spec: { template: { spec: podSpec } } });

export const service = (port: object, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta('hello'),
  spec: { selector: labels, ports: [port], ...spec },
});

export const job = (spec: object = {}, image = 'busybox') => ({
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

export const configMap = (data: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: meta('cfg'),
  data,
  ...more,
});

export const fn = (spec: object) => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Function',
  metadata: meta('hello'),
  spec: { runtime: 'nodejs20', ...spec },
});

export const cron = {
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

export const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta('pod'),
  spec: { containers: [{ name: 'c', image: 'busybox', livenessProbe: { tcpSocket: { port: 80 } } }] },
};

export const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: meta('hello-1', { labels: { 'kubernetes.io/service-name': 'hello' } }),
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.0.7'], conditions: { ready: true } }],
};
