import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { customResourceDefinition } from '../../src/codegen/crd.ts';
import { loadConfig } from '../../src/config/config.ts';
import { ROLES, type Role, type Setting } from '../../src/config/setting.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { DEFINITIONS } from '../../src/resources/definitions.ts';
import { CHART, find, hasHelm, helm, KUBE_VERSION, podsOf, type Rendered, render, template } from './helm.ts';

const VALUES = ['least', 'full', 'small'] as const;

test('chart, program and images have one version', () => {
  const read = (file: string) => readFileSync(file, 'utf8');
  const { version } = JSON.parse(read(`${CHART}/../../package.json`));
  expect(parse(read(`${CHART}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
});

describe.skipIf(!hasHelm())('the chart', () => {
  test.each(VALUES)('passes helm lint with the %s values', (values) => {
    const { status, text } = helm(
      'lint',
      ...['--strict', CHART, ...KUBE_VERSION],
      ...['-f', `${CHART}/ci/${values}-values.yaml`],
    );
    expect(status, text).toBe(0);
  });

  test.each(VALUES)(
    'with the %s values every object is named once, ours, and in the right place',
    (values) => {
      const objects = render(values);
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(names).toEqual([...new Set(names)]);
      for (const { apiVersion, kind, metadata } of objects) {
        expect(apiVersion, kind).toBeTruthy();
        expect(metadata.labels, `${kind} ${metadata.name}`).toMatchObject({
          'app.kubernetes.io/part-of': 'sless',
        });
        expect([undefined, 'sless-system']).toContain(metadata.namespace);
      }
    },
  );

  test.each(VALUES)('with the %s values, nothing differs from one rendering to the next', (values) => {
    expect(template(values)).toBe(template(values));
  });

  test('no rendering holds a key or a certificate', () => {
    for (const values of VALUES) expect(template(values)).not.toMatch(/BEGIN [A-Z ]*(KEY|CERTIFICATE)/);
  });

  test.each(VALUES)('with the %s values no pod may do more than it must', (values) => {
    const pods = podsOf(render(values));
    expect(pods.length).toBeGreaterThan(4);
    for (const { name, pod } of pods) {
      expect(pod.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.enableServiceLinks, name).toBe(false);
      for (const container of pod.containers) {
        expect(container.securityContext, name).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources, name).toMatchObject({
          requests: expect.anything(),
          limits: expect.anything(),
        });
      }
    }
  });

  test('two pods of each role, one of which may always go; none ends before calls go elsewhere', () => {
    const objects = render('least');
    for (const role of ['operator', 'api', 'proxy']) {
      const { spec } = find(objects, 'Deployment', `sless-${role}`);
      expect(spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
      const container = spec.template!.spec.containers[0]!;
      // A role serves on by itself for a while when it is told to end; a sleep before would only take from that time.
      expect(container.lifecycle).toBeUndefined();
      expect(spec.template!.spec.terminationGracePeriodSeconds).toBe(30);
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const)
        expect(container[probe].httpGet.path).toMatch(/^\/(healthz|readyz)$/);
      expect(find(objects, 'PodDisruptionBudget', `sless-${role}`).spec.maxUnavailable).toBe(1);
    }
    expect(render('small').filter(({ kind }) => kind === 'PodDisruptionBudget')).toEqual([]);
  });

  test.each(VALUES)('with the %s values every role starts on its settings', (values) => {
    const objects = render(values);
    const { data } = find(objects, 'ConfigMap', 'sless-settings');
    const known = new Set(Object.values<Setting<unknown>>(SETTINGS).map(({ name }) => name));
    expect(Object.keys(data).filter((name) => !known.has(name))).toEqual([]);
    for (const role of ['operator', 'api', 'proxy', 'certificate', 'preflight', 'gc'] satisfies Role[]) {
      expect(ROLES).toContain(role);
      // loadConfig throws, naming each mistake.
      loadConfig({ ...data, KUBERNETES_SERVICE_HOST: '10.0.0.1' }, role);
    }
  });

  test('what builds everything anew is there when it is asked for, never runs by itself, and may do nothing else', () => {
    expect(render('least').some(({ metadata }) => metadata.name === 'sless-rebuild')).toBe(false);
    const objects = render('least', '--set', 'rebuild.enabled=true');
    expect(find(objects, 'CronJob', 'sless-rebuild').spec).toMatchObject({
      suspend: true,
      // What could not be built is not built again by itself: the whole tour ends with its exit code.
      jobTemplate: {
        spec: {
          podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { containerName: 'rebuild' } }] },
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'rebuild' }] } },
        },
      },
    });
    expect(find(objects, 'ClusterRole', 'sless-rebuild')).toMatchObject({
      rules: [
        { apiGroups: ['sless.dev'], resources: ['functions'], verbs: ['get', 'list', 'watch', 'patch'] },
      ],
    });
  });

  test("the registry's own CA reaches everyone who speaks to it", () => {
    const objects = render('least', '--set', 'registry.caConfigMap=registry-ca');
    const pods = [
      find(objects, 'Deployment', 'sless-operator').spec.template!.spec,
      find(objects, 'Deployment', 'sless-api').spec.template!.spec,
      find(objects, 'CronJob', 'sless-gc').spec.jobTemplate.spec.template.spec,
      find(objects, 'Pod', 'sless-preflight').spec,
    ];
    for (const pod of pods) expect(JSON.stringify(pod)).toContain('"configMap":{"name":"registry-ca"}');
    expect(find(objects, 'ConfigMap', 'sless-settings').data.REGISTRY_CA_FILE).toBe('/registry/ca.crt');
  });

  test('the CRDs are those of the program, and stay when the release goes', () => {
    const objects = render('least');
    for (const definition of DEFINITIONS) {
      const wanted = customResourceDefinition(definition) as Pick<Rendered, 'metadata' | 'spec'>;
      const crd = find(objects, 'CustomResourceDefinition', wanted.metadata.name);
      expect(crd.spec).toEqual(wanted.spec);
      expect(crd.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    }
    expect(render('small').filter(({ kind }) => kind === 'CustomResourceDefinition')).toEqual([]);
  });

  test('the controllers call our Service, and say nothing of whom to trust', () => {
    const objects = render('least', '-n', 'elsewhere');
    const controllers = objects.filter(({ apiVersion }) => apiVersion.startsWith('metacontroller.k8s.io/'));
    expect(controllers.length).toBeGreaterThanOrEqual(5);
    for (const { spec } of controllers) {
      expect(spec.endpointConfigs).toBeUndefined();
      for (const { webhook } of Object.values(spec.hooks)) {
        expect(webhook.service).toEqual({
          name: 'sless-operator',
          namespace: 'elsewhere',
          port: 8443,
          protocol: 'https',
        });
        expect(webhook.caBundle).toBeUndefined();
      }
    }
    const { rules } = find(objects, 'ClusterRole', 'sless-certificate');
    const named = rules.flatMap(({ resourceNames = [] }) => resourceNames);
    expect(named.sort()).toEqual(controllers.map(({ metadata }) => metadata.name).sort());
  });

  test("cert-manager's certificate has a Secret of its own, which everyone concerned names, and is looked after often", () => {
    const named = (objects: readonly Rendered[]) => {
      const text = JSON.stringify(objects);
      const schedule = (find(objects, 'CronJob', 'sless-certificate').spec as { schedule?: string }).schedule;
      return { of: new Set(text.match(/sless-operator-(tls|cert-manager)/g)), schedule, text };
    };
    const theirs = named(render('full'));
    expect([...theirs.of]).toEqual(['sless-operator-cert-manager']);
    expect(theirs.schedule).toBe('*/10 * * * *');
    const place = [
      '"secretName":',
      '"CERTIFICATE_SECRET":',
      '"CERTIFICATE_SECRET","value":',
      '"resourceNames":[',
    ];
    for (const before of place) expect(theirs.text).toContain(`${before}"sless-operator-cert-manager"`);
    const ours = named(render('least'));
    expect([...ours.of]).toEqual(['sless-operator-tls']);
    expect(ours.schedule).toBe('17 3 * * *');
    expect(named(render('least', '--set', 'tls.renewalSchedule=0 0 * * *')).schedule).toBe('0 0 * * *');
  });

  test('tenants have their roles, and the api the Secrets of builds that are named', () => {
    const full = render('full', '-n', 'elsewhere');
    expect(find(full, 'ClusterRole', 'sless-registry-secrets').rules[0]?.resourceNames).toEqual([
      'sless-pull',
      'sless-push',
    ]);
    const { metadata, subjects } = find(full, 'RoleBinding', 'sless-registry-secrets');
    expect([metadata.namespace, subjects?.[0]?.namespace]).toEqual(['elsewhere', 'elsewhere']);
    expect(find(full, 'ClusterRole', 'sless-tenant').metadata.labels).toMatchObject({
      'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
    });
    const least = render('least', '--set', 'storage.bucket=code');
    expect(least.map(({ metadata: { name } }) => name)).not.toContain('sless-registry-secrets');
    const variables = (objects: readonly Rendered[], name: string) =>
      find(objects, 'ValidatingAdmissionPolicy', name).spec.variables;
    const [bucket] = variables(least, 'sless-function-source') ?? [];
    expect(bucket).toEqual({ name: 'bucket', expression: "'code'" });
    expect(variables(full, 'sless-api-creations')).toMatchObject([
      { name: 'api', expression: "'system:serviceaccount:elsewhere:sless-api'" },
      { name: 'secrets', expression: "['sless-pull','sless-push']" },
      { name: 'isApis' },
    ]);
    expect(variables(least, 'sless-api-creations')?.[1]).toEqual({ name: 'secrets', expression: '[]' });
  });

  test.each(VALUES)('with the %s values every Ingress names hosts that an API server takes', (values) => {
    for (const { kind, metadata, spec } of render(values, '--set', 'ingress.enabled=true')) {
      if (kind !== 'Ingress') continue;
      const hosts = [...spec.rules, ...(spec.tls ?? [])].flatMap((of) => ('host' in of ? of.host : of.hosts));
      expect(hosts, metadata.name).not.toEqual([]);
      for (const host of hosts) expect(host).toMatch(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/);
    }
  });

  test('functions have hosts of their own, or a path on the one of the api', () => {
    const two = render('full');
    const hosts = (name: string) => find(two, 'Ingress', name).spec.rules.map(({ host }) => host);
    expect(hosts('sless-api')).toEqual(['sless.example.com']);
    expect(hosts('sless-functions')).toEqual(['fn.example.com', '*.fn.example.com']);
    expect(JSON.stringify(find(two, 'Ingress', 'sless-api'))).not.toContain('sless-proxy');
    const one = render('small', '--set', 'hosts.api=one.example.com');
    const paths = find(one, 'Ingress', 'sless-api').spec.rules[0]?.http.paths ?? [];
    expect(paths.map(({ path, backend }) => [path, backend.service.name])).toEqual([
      ['/fn', 'sless-proxy'],
      ['/', 'sless-api'],
    ]);
    for (const ingress of two.filter(({ kind }) => kind === 'Ingress'))
      expect(JSON.stringify(ingress)).not.toContain('internal');
  });

  test('the roles and images are those that the values name', () => {
    const images = (values: string) => podsOf(render(values)).map(({ pod }) => pod.containers[0]?.image);
    expect([...new Set(images('least'))]).toEqual(['registry.example.com/sless:v0.1.0']);
    expect([...new Set(images('full'))]).toEqual([expect.stringMatching(/^ghcr.io\/example\/sless@sha256:/)]);
  });
});
