import type { DefaultedSetting, Role, Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** Variables by name, as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Table = typeof SETTINGS;
type ValueOf<S> =
  S extends DefaultedSetting<infer T> ? T : S extends Setting<infer T> ? T | undefined : never;

/** Every setting's value, by its name in the table of settings. */
export type Config = { readonly [K in keyof Table]: ValueOf<Table[K]> };

/** What is wrong with the environment: one line a mistake, each naming its variable. Holds no values of secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`the settings are not usable:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`);
    this.mistakes = mistakes;
  }
}

/**
 * The configuration of one role: pure, and all at once. Variables that the role does not read are not looked at, so
 * that one environment can serve several roles.
 *
 * @throws ConfigError with every mistake.
 */
export function loadConfig(env: Environment, role: Role): Config {
  const mistakes: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(SETTINGS).map(([key, entry]) => [
      key,
      read(entry, { env, role, mistakes }),
    ]),
  );
  // Sound: each value was made by the parser of its own setting, and a defaulted one is never absent.
  const config = derive(values as Config, env, role);
  mistakes.push(...clashes(config, role));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.freeze(config);
}

interface ReadContext {
  readonly env: Environment;
  readonly role: Role;
  readonly mistakes: string[];
}

function read(entry: Setting<unknown>, { env, role, mistakes }: ReadContext): unknown {
  const given = entry.roles.includes(role) ? env[entry.name]?.trim() || undefined : undefined;
  if (given === undefined && entry.required?.includes(role))
    mistakes.push(`${entry.name} is missing: ${entry.meaning}`);
  const text = given ?? entry.roleDefaults?.[role] ?? entry.default;
  if (text === undefined) return undefined;
  try {
    return entry.parse(text);
  } catch (error) {
    const shown = entry.secret ? '' : ` (it is ${JSON.stringify(text)})`;
    mistakes.push(`${entry.name} ${error instanceof Error ? error.message : 'is malformed'}${shown}`);
    return undefined;
  }
}

/** Defaults that follow from other values. */
function derive(config: Config, env: Environment, role: Role): Config {
  if (role !== 'local') return config;
  const metricsPort = env.METRICS_PORT?.trim() ? config.metricsPort : localMetricsPort(config.port);
  return { ...config, metricsPort };
}

/** Next to the port; any free one beside any free one, and below the last one. */
function localMetricsPort(port: number): number {
  if (port === 0) return 0;
  return port === 65_535 ? port - 1 : port + 1;
}

/** What no value alone can be blamed for. */
function clashes(config: Config, role: Role): string[] {
  const found: string[] = [];
  const pair = (both: readonly [unknown, unknown], message: string) => {
    if ((both[0] === undefined) !== (both[1] === undefined)) found.push(message);
  };
  pair([config.tlsCertFile, config.tlsKeyFile], 'TLS_CERT_FILE and TLS_KEY_FILE come together');
  pair([config.s3AccessKey, config.s3SecretKey], 'S3_ACCESS_KEY and S3_SECRET_KEY come together');
  pair(
    [config.s3AccessKeyFile, config.s3SecretKeyFile],
    'S3_ACCESS_KEY_FILE and S3_SECRET_KEY_FILE come together',
  );
  pair([config.oidcIssuer, config.oidcClientId], 'OIDC_ISSUER and OIDC_CLIENT_ID come together');
  return [...found, ...missingByMode(config, role), ...samePorts(config, role)];
}

/** What one value of a setting makes another one necessary for. */
function missingByMode(config: Config, role: Role): string[] {
  const found: string[] = [];
  const need = (key: keyof Table, when: string) => {
    if (config[key] === undefined) found.push(`${SETTINGS[key].name} is missing: needed ${when}`);
  };
  if (role === 'api' && config.authMode === 'jwks') need('jwksUrl', 'with AUTH_MODE=jwks');
  if (role === 'api' && config.llmEnabled) {
    need('llmEndpoint', 'with LLM_ENABLED=true');
    need('llmModel', 'with LLM_ENABLED=true');
  }
  if (role === 'api' && config.oidcIssuer !== undefined) need('externalUrl', 'with OIDC_ISSUER');
  if (role === 'api' && config.authMode === 'introspect') need('introspectUrl', 'with AUTH_MODE=introspect');
  if (SETTINGS.kubernetesHost.roles.includes(role) && config.kubernetesHost === undefined)
    need('kubeconfig', 'outside of a cluster');
  if (role === 'dispatcher' && config.rabbitmqUrlFile === undefined && config.brokerHosts === undefined)
    need('rabbitmqUrl', 'where there is neither RABBITMQ_URL_FILE nor BROKER_HOSTS');
  return found;
}

const PORTS = ['port', 'metricsPort', 'internalPort', 'operatorPort'] as const;

function samePorts(config: Config, role: Role): string[] {
  // The operator only names that port.
  const listens = (key: (typeof PORTS)[number]): boolean =>
    SETTINGS[key].roles.some((reader) => reader === role) && !(role === 'operator' && key === 'internalPort');
  const used = PORTS.filter((key) => listens(key) && config[key] !== 0);
  return used.flatMap((key, index) =>
    used
      .slice(index + 1)
      .filter((other) => config[other] !== undefined && config[other] === config[key])
      .map((other) => `${SETTINGS[key].name} and ${SETTINGS[other].name} must differ`),
  );
}
