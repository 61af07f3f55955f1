import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const CHART = resolve(import.meta.dirname, '../../charts/sless');

/** An object of the chart, of whatever kind, as far as tests look at it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data: Readonly<Record<string, string>>;
  readonly rules: readonly {
    readonly verbs: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly namespace: string }[];
  readonly spec: Spec;
}

export interface Spec {
  readonly template?: { readonly spec: Pod };
  readonly jobTemplate: { readonly spec: { readonly template: { readonly spec: Pod } } };
  readonly variables?: readonly object[];
  readonly maxUnavailable?: number;
  readonly policyTypes?: readonly string[];
  readonly ingress: readonly object[];
  readonly egress?: readonly object[];
  readonly tls?: readonly { readonly hosts: readonly string[] }[];
  readonly endpointConfigs?: object;
  readonly hooks: Readonly<
    Record<string, { readonly webhook: { readonly service: object; readonly caBundle?: object } }>
  >;
  readonly rules: readonly {
    readonly host: string;
    readonly http: {
      readonly paths: readonly {
        readonly path: string;
        readonly backend: { readonly service: { readonly name: string } };
      }[];
    };
  }[];
}

export interface Pod {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly securityContext: object;
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly Container[];
}

interface Probe {
  readonly httpGet: { readonly path: string };
}
export interface Container {
  readonly image: string;
  readonly envFrom?: readonly object[];
  readonly securityContext: object;
  readonly resources: object;
  readonly lifecycle?: object;
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

/** Whether there is a helm on the PATH; said aloud where there is none. */
export function hasHelm(): boolean {
  const found = spawnSync('helm', ['version', '--short']).status === 0;
  if (!found) console.warn('SKIPPED: there is no helm on the PATH, so the chart is not rendered');
  return found;
}

/** The oldest one that the chart takes; helm alone would guess. */
export const KUBE_VERSION = ['--kube-version', '1.31.0'] as const;

/** Runs helm without a cluster. */
export function helm(...args: readonly string[]): { readonly status: number; readonly text: string } {
  return run(args, '');
}

function run(args: readonly string[], input: string): { readonly status: number; readonly text: string } {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8', env, input });
  return { status: status ?? 1, text: status === 0 ? stdout : stderr };
}

/** The text that `helm template` prints with one of the chart's value files, and more. */
export function template(values: string, ...more: readonly string[]): string {
  return templateWith(readFileSync(`${CHART}/ci/${values}-values.yaml`, 'utf8'), more);
}

function templateWith(values: string, more: readonly string[]): string {
  const release = ['sless', CHART, '-n', 'sless-system', ...KUBE_VERSION];
  const { status, text } = run(['template', ...release, '-f', '-', ...more], values);
  if (status !== 0) throw new Error(text);
  return text;
}

/** The objects in it, hooks included. */
export function render(values: string, ...more: readonly string[]): Rendered[] {
  return objectsIn(template(values, ...more));
}

/** The same with values that somebody else has written, such as a page of the documentation. */
export function renderText(values: string, ...more: readonly string[]): Rendered[] {
  return objectsIn(templateWith(values, more));
}

function objectsIn(text: string): Rendered[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);
}

/** The one of that name. */
export function find(objects: readonly Rendered[], kind: string, name: string): Rendered {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** The pods of workloads, Jobs and hooks, by the name of what makes them. */
export function podsOf(objects: readonly Rendered[]): { readonly name: string; readonly pod: Pod }[] {
  return objects.flatMap(({ kind, metadata: { name }, spec }) => {
    // A Pod's spec is what the others have in their templates.
    if (kind === 'Pod') return [{ name, pod: spec as unknown as Pod }];
    const pod = (kind === 'CronJob' ? spec.jobTemplate.spec : spec)?.template?.spec;
    return pod === undefined ? [] : [{ name, pod }];
  });
}
