import { configMap, deployment, fn, job, meta, slice, template } from './objects.ts';
import type { Scenario } from './scenario.ts';

/** What becomes of fields when several writers say different things of them, and of what is said badly. */
export const CONTESTED: readonly Scenario[] = [
  {
    name: 'a map outlives its last entry when it belongs to another, and then is no map',
    kind: 'Function',
    object: 'hello',
    steps: [
      { do: 'create', body: fn({ env: { A: '1' }, resources: { limits: { cpu: '1' } } }) },
      { do: 'apply', body: fn({ env: { A: '2' }, resources: { limits: { cpu: '2' } } }) },
      { do: 'apply', body: fn({ resources: { limits: { cpu: '2' } } }) },
      { do: 'apply', body: fn({}) },
      { do: 'patch', body: { spec: { resources: null } } },
      { do: 'apply', body: fn({}) },
    ],
  },
  {
    name: 'an apply prunes nothing and drops no null',
    kind: 'Function',
    object: 'hello',
    steps: [
      { do: 'apply', body: fn({ surprise: 1 }) },
      { do: 'apply', body: fn({ replicas: 'two' }) },
      { do: 'apply', body: fn({ env: { A: null } }) },
      { do: 'apply', body: fn({ env: null, replicas: null }) },
      { do: 'patch', body: { spec: { surprise: 1, env: { A: null, B: '1' } } } },
      { do: 'patchStatus', body: { status: { phase: null, surprise: 1 } } },
      { do: 'patchStatus', body: { status: { phase: 'Ready', message: 'x' } } },
      { do: 'apply', manager: 'another', body: fn({ secrets: ['fn-a'] }) },
      { do: 'apply', manager: 'another', body: { ...fn({}), spec: {} } },
    ],
  },
  {
    name: 'an EndpointSlice counts its labels and keeps no empty list',
    kind: 'EndpointSlice',
    object: 'hello-1',
    steps: [
      { do: 'create', body: { ...slice, endpoints: [], ports: [] } },
      { do: 'patch', body: { metadata: { labels: { more: 'x' } } } },
      { do: 'patch', body: { metadata: { annotations: { more: 'x' } } } },
      { do: 'patch', body: { endpoints: [{ addresses: ['10.244.0.8'] }] } },
    ],
  },
  {
    name: 'a Job without labels has those of its pods',
    kind: 'Job',
    object: 'build',
    steps: [
      { do: 'create', body: { ...job(), metadata: meta('build') } },
      { do: 'patch', body: { metadata: { labels: { own: 'x' } } } },
    ],
  },
  {
    name: 'writers who do not know of each other contradict each other',
    kind: 'Deployment',
    object: 'hello',
    steps: [
      { do: 'apply', body: deployment({}, { selector: undefined }) },
      { do: 'apply', body: deployment() },
      {
        do: 'apply',
        manager: 'another',
        body: { ...deployment(), spec: { strategy: { type: 'Recreate' } } },
      },
      {
        do: 'apply',
        manager: 'another',
        body: { ...deployment(), ...template({ serviceAccountName: 'x' }) },
      },
      { do: 'apply', manager: 'another', body: { ...deployment(), spec: {} } },
      { do: 'patch', body: template({ volumes: null }) },
      {
        do: 'apply',
        manager: 'another',
        body: {
          ...deployment(),
          ...template({ containers: [{ name: 'function', readinessProbe: { tcpSocket: { port: 8080 } } }] }),
        },
      },
    ],
  },
  {
    name: 'what nobody owns any more belonged to somebody before',
    kind: 'ConfigMap',
    object: 'cfg',
    steps: [
      { do: 'apply', body: configMap({ a: '1' }) },
      { do: 'apply', body: { ...configMap({}), data: undefined } },
      { do: 'patch', body: { data: { a: null } } },
      { do: 'apply', body: configMap({ b: '1' }) },
      { do: 'apply', body: { ...configMap({}), data: undefined } },
      { do: 'apply', body: configMap({ c: '1' }) },
    ],
  },
];
