import { describe, expect, it } from 'vitest';
import { ConfigError, type Environment, loadConfig } from './config.ts';
import type { Role, Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';
import { settingsTable } from './table.ts';

const API = {
  JWKS_URL: 'https://id.example/jwks',
  S3_BUCKET: 'code',
  KUBECONFIG: '/k',
};
const OPERATOR = {
  EXTERNAL_URL: 'https://sless.example',
  REGISTRY_HOST: 'r:5000',
  S3_BUCKET: 'b',
};

function mistakes(env: Environment, role: Role): readonly string[] {
  try {
    loadConfig(env, role);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

describe('loadConfig', () => {
  it('needs nothing in local mode', () => {
    const config = loadConfig({}, 'local');
    expect(config).toMatchObject({
      port: 8080,
      metricsPort: 8081,
      externalUrl: undefined,
      dir: '.sless',
      fnMaxBody: 134_217_728,
      logLevel: 'warn',
    });
  });

  it('knows defaults of single roles, which only a word of the environment outdoes', () => {
    expect(loadConfig({ LOG_LEVEL: ' ' }, 'local').logLevel).toBe('warn');
    expect(loadConfig({ LOG_LEVEL: 'info' }, 'local').logLevel).toBe('info');
    expect(loadConfig(API, 'api').logLevel).toBe('info');
    expect(settingsTable()).toContain('| `LOG_LEVEL` | `info`; local: `warn` |');
  });

  it('puts the metrics of local mode next to the port', () => {
    expect(loadConfig({ PORT: '9000' }, 'local').metricsPort).toBe(9001);
    expect(loadConfig({ PORT: '0' }, 'local').metricsPort).toBe(0);
    expect(loadConfig({ PORT: '65535' }, 'local').metricsPort).toBe(65_534);
    expect(loadConfig({ PORT: '9000', METRICS_PORT: '7' }, 'local').metricsPort).toBe(7);
  });

  it('reports every mistake at once, by name', () => {
    const env = { PORT: '99999', JWKS_URL: 'ftp://x', AUTH_MODE: 'none', UPLOADS_PER_TENANT: '0' };
    expect(mistakes(env, 'api')).toEqual([
      'PORT must be a port number from 0 to 65535 (it is "99999")',
      'AUTH_MODE must be jwks or introspect or trusted-perimeter (it is "none")',
      'JWKS_URL must be an http or https URL (it is "ftp://x")',
      expect.stringMatching(/^UPLOADS_PER_TENANT must be a whole number/),
      expect.stringMatching(/^S3_BUCKET is missing/),
      'KUBECONFIG is missing: needed outside of a cluster',
    ]);
  });

  it('takes an empty variable for an absent one', () => {
    expect(loadConfig({ ...API, PORT: '', AUTH_ISSUER: ' ' }, 'api')).toMatchObject({
      port: 8080,
      authIssuer: undefined,
    });
  });

  it('does not look at what the role does not read', () => {
    expect(loadConfig({ ...API, OPERATOR_PORT: 'x' }, 'api').port).toBe(8080);
  });

  it('refuses ports that are the same', () => {
    expect(mistakes({ ...API, PORT: '9090' }, 'api')).toEqual(['PORT and METRICS_PORT must differ']);
    expect(mistakes({ ...API, PORT: '0', METRICS_PORT: '0' }, 'api')).toEqual([]);
  });

  it('refuses halves of pairs', () => {
    expect(mistakes({ ...OPERATOR, TLS_CERT_FILE: '/c' }, 'operator')).toEqual([
      'TLS_CERT_FILE and TLS_KEY_FILE come together',
    ]);
    expect(mistakes({ ...API, S3_ACCESS_KEY: 'k' }, 'api')).toEqual([
      'S3_ACCESS_KEY and S3_SECRET_KEY come together',
    ]);
  });

  it('needs of a mode what the mode asks', () => {
    const { JWKS_URL: _, ...without } = API;
    expect(mistakes(without, 'api')).toEqual(['JWKS_URL is missing: needed with AUTH_MODE=jwks']);
    expect(mistakes({ ...without, AUTH_MODE: 'introspect' }, 'api')).toEqual([
      'INTROSPECT_URL is missing: needed with AUTH_MODE=introspect',
    ]);
    expect(mistakes({ ...without, AUTH_MODE: 'trusted-perimeter' }, 'api')).toEqual([]);
  });

  it('takes the credentials of a pod where there is no kubeconfig', () => {
    const { KUBECONFIG: _, ...inPod } = { ...API, KUBERNETES_SERVICE_HOST: '10.96.0.1' };
    expect(loadConfig(inPod, 'api')).toMatchObject({ kubernetesHost: '10.96.0.1', kubernetesPort: 443 });
    expect(mistakes({}, 'proxy')).toEqual(['KUBECONFIG is missing: needed outside of a cluster']);
  });

  it('drops the slash at the end of the external URL', () => {
    expect(loadConfig({ ...OPERATOR, EXTERNAL_URL: 'https://sless.example/' }, 'operator').externalUrl).toBe(
      'https://sless.example',
    );
  });
});

describe('parsers', () => {
  const cases: readonly (readonly [keyof typeof SETTINGS, string, unknown])[] = [
    ['fnMaxBody', '1024', 1024],
    ['fnMaxBody', '2MiB', 2_097_152],
    ['fnMaxBody', '2 Gi', 2_147_483_648],
    ['drainDelay', '0s', 0],
    ['drainDelay', '500ms', 500],
    ['drainDelay', '20s', 20_000],
    ['fnHost', 'F.Example.org', 'f.example.org'],
    ['registryHost', 'registry.local:5000/team/x', 'registry.local:5000/team/x'],
    ['registryInsecure', 'true', true],
    ['trustedProxies', '10.0.0.0/8, fd00::/8,127.0.0.1', ['10.0.0.0/8', 'fd00::/8', '127.0.0.1']],
    ['imageTemplate', '{registry}/{namespace}__{name}:{tag}', '{registry}/{namespace}__{name}:{tag}'],
    ['functionRequests', 'cpu=50m, memory=128Mi', { cpu: '50m', memory: '128Mi' }],
    ['tenantContainerMax', 'none', {}],
    ['tenantQuota', 'none', {}],
    [
      'tenantQuota',
      'count/jobs.batch=5, count/functions.sless.dev=10,requests.cpu=2.5,limits.memory=1Gi',
      {
        'count/jobs.batch': '5',
        'count/functions.sless.dev': '10',
        'requests.cpu': '2.5',
        'limits.memory': '1Gi',
      },
    ],
    ['tenantEgress', 'none', []],
    [
      'tenantEgress',
      'database:5432, ingress,10.1.0.0/16:5432,fd00::/8:53,fd00::/8',
      [
        { namespace: 'database', port: 5432 },
        { namespace: 'ingress' },
        { block: '10.1.0.0/16', port: 5432 },
        { block: 'fd00::/8', port: 53 },
        { block: 'fd00::/8' },
      ],
    ],
    ['notInternet', '10.0.0.0/8, fc00::/7', ['10.0.0.0/8', 'fc00::/7']],
    ['notInternet', 'none', []],
    ['pushSecret', 'sless-registry-push', 'sless-registry-push'],
  ];
  it.each(cases)('%s accepts %s', (key, text, value) => {
    expect(SETTINGS[key].parse(text)).toEqual(value);
  });

  const refused: readonly (readonly [keyof typeof SETTINGS, string])[] = [
    ['fnMaxBody', '0'],
    ['fnMaxBody', '12 MB'],
    ['drainDelay', '5'],
    ['drainDelay', '-1s'],
    ['drainDelay', '21s'],
    ['port', '-1'],
    ['port', '8080x'],
    ['fnHost', 'https://f.example.org'],
    ['fnHost', 'f.example.org:80'],
    ['externalUrl', 'https://user:word@x'],
    ['externalUrl', 'https://x/?a=1'],
    ['registryHost', 'https://registry.local'],
    ['registryInsecure', 'yes'],
    ['trustedProxies', '10.0.0.0/33'],
    ['trustedProxies', 'localhost'],
    ['imageTemplate', '{registry}/{namespace}-{name}:{tag}'],
    ['imageTemplate', '{registry}/{namespace}/{name}:latest'],
    ['runtimeImageTemplate', '{registry}/{image}:latest'],
    ['functionRequests', 'cpu=50m memory=128Mi'],
    ['functionRequests', 'cpu=fast'],
    ['functionLimits', 'gpu=1'],
    ['tenantContainerMax', 'memory'],
    ['tenantQuota', 'jobs'],
    ['tenantQuota', 'pods=many'],
    ['tenantEgress', 'Database'],
    ['tenantEgress', '10.0.0.0'],
    ['tenantEgress', '10.0.0.0/33'],
    ['tenantEgress', '0.0.0.0/0'],
    ['tenantEgress', 'database:0'],
    ['tenantEgress', 'database:65536'],
    ['buildEgress', 'a,,b'],
    ['notInternet', '0.0.0.0/0'],
    ['notInternet', '::/0'],
    ['notInternet', 'database'],
    ['pushSecret', 'fn-push'],
    ['pullSecret', 'Pull'],
  ];
  it.each(refused)('%s refuses %s', (key, text) => {
    expect(() => SETTINGS[key].parse(text)).toThrow();
  });
});

describe('the table', () => {
  const entries = Object.values<Setting<unknown>>(SETTINGS);

  it('has each name once, and none that belongs to the test node', () => {
    const names = entries.map((entry) => entry.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain('SLESS_NODE');
  });

  it('has defaults that its own parsers accept, and requires only of who reads', () => {
    for (const entry of entries) {
      for (const text of [entry.default, ...Object.values(entry.roleDefaults ?? {})])
        if (text !== undefined) expect(() => entry.parse(text)).not.toThrow();
      expect(entry.roles).toEqual(expect.arrayContaining(Object.keys(entry.roleDefaults ?? {})));
      expect(entry.roles).toEqual(expect.arrayContaining([...(entry.required ?? [])]));
    }
  });

  it('is written out with one row a setting', () => {
    for (const entry of entries) expect(settingsTable()).toContain(`| \`${entry.name}\` |`);
  });

  it('never shows a secret in a mistake', () => {
    const secrets = entries.filter((entry) => entry.secret).map((entry) => entry.name);
    expect(secrets.sort()).toEqual([
      'DATABASE_URL',
      'LLM_API_KEY',
      'OIDC_CLIENT_SECRET',
      'RABBITMQ_URL',
      'S3_ACCESS_KEY',
      'S3_SECRET_KEY',
    ]);
    expect(mistakes({ ...API, S3_SECRET_KEY: 'hush-hush' }, 'api').join()).not.toContain('hush-hush');
  });
});
