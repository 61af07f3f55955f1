import type { KubeObject } from '../../src/resources/kube/object.ts';

type Json = Record<string, unknown>;

const merged = (defaults: Json, value: unknown): Json => ({ ...defaults, ...((value ?? {}) as Json) });

/** A child as the API server would give it back: defaults filled in. Only for the kinds and fields that our hooks emit. */
export function withServerDefaults(child: KubeObject): KubeObject {
  const fill = DEFAULTS[child.kind];
  return fill === undefined ? child : { ...child, spec: fill(child.spec as Json) };
}

const DEFAULTS: Readonly<Record<string, (spec: Json) => Json>> = {
  Deployment: (spec) => ({
    ...spec,
    template: templateDefaults(spec.template as Json, { restartPolicy: 'Always' }),
  }),
  Service: (spec) => ({
    internalTrafficPolicy: 'Cluster',
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    type: 'ClusterIP',
    ...spec,
  }),
  Job: (spec) => ({
    completionMode: 'NonIndexed',
    completions: 1,
    manualSelector: false,
    parallelism: 1,
    suspend: false,
    ...spec,
    template: templateDefaults(spec.template as Json, { terminationGracePeriodSeconds: 30 }),
  }),
};

function templateDefaults(template: Json, podDefaults: Json): Json {
  const spec = template.spec as Json;
  const account = spec.serviceAccountName;
  return {
    ...template,
    spec: {
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      ...podDefaults,
      ...(account === undefined ? {} : { serviceAccount: account }),
      ...spec,
      ...containersOf(spec, 'containers'),
      ...containersOf(spec, 'initContainers'),
    },
  };
}

function containersOf(spec: Json, field: string): Json {
  const containers = spec[field] as Json[] | undefined;
  return containers === undefined ? {} : { [field]: containers.map(containerDefaults) };
}

function containerDefaults(container: Json): Json {
  const probe = container.readinessProbe as Json | undefined;
  return {
    terminationMessagePath: '/dev/termination-log',
    ...container,
    ...(probe === undefined
      ? {}
      : {
          readinessProbe: merged(
            { successThreshold: 1 },
            { ...probe, httpGet: merged({ scheme: 'HTTP' }, probe.httpGet) },
          ),
        }),
  };
}
