import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/config/settings.ts';
import { CHART, find, hasHelm, podsOf, render, renderText, template } from './helm.ts';

/** The pages' commands are indented by four. */
const unindented = (page: string) => page.replaceAll(/^ {4}/gm, '');

/** In whose words a rendering is refused. */
const refusal = (...sets: readonly string[]): string => {
  try {
    template('least', ...sets.flatMap((set) => ['--set', set]));
  } catch (error) {
    return String(error);
  }
  return 'nothing was refused';
};

describe.skipIf(!hasHelm())('the values of the chart', () => {
  test('with the values of docs/install.md every pod of ours pulls its image with the login of the registry', () => {
    const page = readFileSync(`${CHART}/../../docs/install.md`, 'utf8');
    const [, values = ''] =
      /cat > sless-values.yaml <<'YAML'\n([\s\S]*?)^YAML$/m.exec(unindented(page)) ?? [];
    const { pullSecret } = parse(values).registry;
    expect(page).toContain(`create secret docker-registry ${pullSecret} `);
    const everything = ['rebuild.enabled=true', 'dispatcher.enabled=true'].flatMap((set) => ['--set', set]);
    const pods = podsOf(renderText(values, ...everything));
    expect(pods.map(({ name }) => name)).toContain('sless-certificate-early');
    expect(pods.length).toBeGreaterThanOrEqual(10);
    for (const { name, pod } of pods) expect(pod.imagePullSecrets, name).toEqual([{ name: pullSecret }]);
  });

  test('where the image of sless lies elsewhere it has logins of its own, and without any there is none', () => {
    const [full] = podsOf(render('full'));
    expect(full?.pod.imagePullSecrets).toEqual([{ name: 'mirror' }, { name: 'sless-pull' }]);
    for (const { pod } of podsOf(render('least'))) expect(pod).not.toHaveProperty('imagePullSecrets');
  });

  test('keys that the api has from elsewhere reach whoever else speaks to the object store', () => {
    const from = [{ secretRef: { name: 'bucket-keys' } }];
    const sets = ['gc', 'preflight'].flatMap((role) => [
      '--set-json',
      `${role}.envFrom=${JSON.stringify(from)}`,
    ]);
    const pods = podsOf(render('least', ...sets)).filter(({ name }) => /^sless-(gc|preflight)$/.test(name));
    expect(pods).toHaveLength(2);
    for (const { name, pod } of pods)
      expect(pod.containers[0]?.envFrom, name).toEqual([
        { configMapRef: { name: 'sless-settings' } },
        ...from,
      ]);
  });

  test('the Secret of direct builds is the one that the page makes, with the keys that a build reads', () => {
    const page = readFileSync(`${CHART}/../../docs/install.md`, 'utf8');
    const [, name = '', literals = ''] = /create secret generic (sless-s3) ([\s\S]*?)\n\n/.exec(page) ?? [];
    const keys = [...literals.matchAll(/--from-literal=(\w+)=/g)].map(([, key]) => key);
    const job = readFileSync(`${CHART}/../../src/resources/function/golden/job-direct.golden.json`, 'utf8');
    const read = [...job.matchAll(/"key": "(\w+)",\s+"name": "[\w-]+"/g)].map(([, key]) => key);
    expect(read.length).toBeGreaterThan(1);
    expect(keys.sort()).toEqual([...new Set(read)].sort());
    const { rules } = find(
      render('least', '--set', 'builds.mode=direct'),
      'ClusterRole',
      'sless-registry-secrets',
    );
    expect(rules[0]?.resourceNames).toEqual([name]);
  });

  test('what a value of the chart says, settings cannot say otherwise; the answer names the value', () => {
    const text = readFileSync(`${CHART}/templates/_settings.tpl`, 'utf8');
    const derived = [...text.matchAll(/^ {2}"(\w+)" \(list "([\w.]*)" /gm)];
    expect(derived.length).toBeGreaterThan(30);
    const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));
    const words = refusal(...derived.map(([, name]) => `settings.${name}=x`));
    for (const [, name = '', from = ''] of derived) {
      const why = from === '' ? 'ports, names and files' : `the value ${from} is for that`;
      expect(words).toContain(`settings.${name} is not for you to set: ${why}`);
      const value = from.split('.').reduce((of, key) => of?.[key], from === '' ? { '': '' } : values);
      expect(value, from).toBeDefined();
    }
  });

  test('no setting that is a secret comes to lie in the ConfigMap that every role reads', () => {
    const secrets = Object.values(SETTINGS).filter((one) => 'secret' in one && one.secret);
    expect(secrets.length).toBeGreaterThan(4);
    const words = refusal(...secrets.map(({ name }) => `settings.${name}=x`));
    for (const { name } of secrets) expect(words).toContain(`settings.${name} would lie in a ConfigMap`);
  });

  test.each([
    ['hosts.api=https://x', 'hosts/api'],
    ['registry.pullSecret=fn-pull', 'registry/pullSecret'],
    ['registry.host=http://x', 'registry/host'],
    ['auth.mode=none', 'auth/mode'],
    ['proxy.replica=3', 'replica'],
    ['settings.log_level=debug', 'log_level'],
    ...[
      'PORT',
      'METRICS_PORT',
      'INTERNAL_PORT',
      'OPERATOR_PORT',
      'SYSTEM_NAMESPACE',
      'API_SERVICE_ACCOUNT',
    ].map((name): [string, string] => [`settings.${name}=9000`, `settings.${name} is not for you to set`]),
    ['settings.NOPE=1', 'settings.NOPE is no setting of this version'],
    ['networkPolicy.egress.proxy[0].from=x', 'from'],
    ['functions.limits.memory=lots', 'memory'],
    ['registry.host=', 'registry.host is missing'],
    ['storage.bucket=', 'storage.bucket is missing'],
    ['auth.jwksUrl=', 'auth.jwksUrl is missing'],
    ['hosts.api=', 'hosts.api is missing'],
    ['storage.accessKey=a', 'storage.secretKey is missing'],
    ['settings.RABBITMQ_URL=amqp://u:p@mq', 'settings.RABBITMQ_URL would lie in a ConfigMap'],
    ['settings.S3_SECRET_KEY=s', 'settings.S3_SECRET_KEY would lie in a ConfigMap'],
    ['hosts.api=a.example.com:8443,hosts.functions=a.example.com', 'hosts.functions is a host of its own'],
    // What a login of the registry is named for is copied to every tenant.
    ['registry.pushSecret=sless-operator-tls', 'registry.pushSecret is copied to every tenant'],
    ['registry.pullSecret=sless-storage', 'registry.pullSecret is copied to every tenant'],
    ['storage.existingSecret=keys,registry.pushSecret=keys', 'keys holds other keys of this installation'],
    ['invocations.databaseSecret=keys,registry.pullSecret=keys', 'keys holds other keys'],
  ])('refuses --set %s in words', (set, words) => {
    expect(() => template('least', '--set', set)).toThrow(words);
  });
});
