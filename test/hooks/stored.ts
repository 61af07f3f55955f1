import type { KubeObject } from '../../src/resources/kube/object.ts';
import { canonicalQuantity } from '../../src/resources/kube/quantity.ts';

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
  return {
    terminationMessagePath: '/dev/termination-log',
    ...container,
    ...(container.env === undefined ? {} : { env: (container.env as Json[]).map(withoutEmptyValue) }),
    resources: canonicalAmounts(container.resources as Json),
    ...probeDefaults(container, 'livenessProbe'),
    ...probeDefaults(container, 'readinessProbe'),
  };
}

function probeDefaults(container: Json, name: string): Json {
  const probe = container[name] as Json | undefined;
  if (probe === undefined) return {};
  const httpGet = merged({ scheme: 'HTTP' }, probe.httpGet);
  return { [name]: merged({ successThreshold: 1 }, { ...probe, httpGet }) };
}

function withoutEmptyValue({ value, ...variable }: Json): Json {
  return value === undefined || value === '' ? variable : { ...variable, value };
}

/** Requests and limits as the server writes them: canonical, by name. */
function canonicalAmounts(resources: Json): Json {
  const canonical = (amounts: object): Json =>
    Object.fromEntries(
      Object.entries(amounts)
        .map(([name, amount]) => [name, canonicalQuantity(amount)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return Object.fromEntries(
    Object.entries(resources).map(([name, amounts]) => [name, canonical(amounts as object)]),
  );
}
