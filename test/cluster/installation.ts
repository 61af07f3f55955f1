import { imageOrders } from '../../images/build-with-crane.ts';
import { buildImage } from '../../images/crane/image.ts';
import { openRegistry } from '../../images/crane/registry.ts';
import { freePort } from '../contracts/binary.ts';
import { findVersitygw, type S3Server, startVersitygw } from '../contracts/versitygw.ts';
import { apiServer } from './api-server.ts';
import { type Cleanup, createCleanup } from './cleanup.ts';
import { installCrds } from './crds.ts';
import { type Driver, type DriverName, startDriver } from './driver.ts';
import type { ClusterEnvironment } from './environment.ts';
import { recordHooks } from './hook-recorder.ts';
import { type HookTap, openHookTap } from './hook-tap.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { type Program, startProgram } from './program.ts';

/** All of sless on a real cluster: its roles as processes of this machine, everything else for real. */
export interface Installation {
  readonly operator: Program;
  readonly api: Program;
  readonly proxy: Program;
  readonly driver: Driver;
  /** Between driver and operator. */
  readonly hooks: HookTap;
  readonly issuer: Issuer;
  /** One more proxy; it ends with the others. */
  addProxy(): Promise<Program>;
  /** Where build pods get their contexts. */
  readonly internalUrl: string;
  /** The bucket of the installation. */
  readonly store: S3Server;
  /** Ends all of it, in order. */
  close(): Promise<void>;
}

/** The environment with all that an installation needs. */
export interface InstallableEnvironment extends ClusterEnvironment {
  readonly registryHost: string;
  readonly hostIp: string;
}

/** Whether everything is there; what is missing is said aloud. */
export function isInstallable(
  environment: ClusterEnvironment | undefined,
): environment is InstallableEnvironment {
  if (environment === undefined) return false;
  const isComplete =
    environment.registryHost !== undefined &&
    environment.hostIp !== undefined &&
    findVersitygw() !== undefined;
  if (!isComplete)
    console.warn('SKIPPED: builds need REGISTRY_HOST, HOST_IP and versitygw (on the PATH or in VERSITYGW)');
  return isComplete;
}

/** Images that are in the registry already are not built again. */
async function buildImages({ registryHost, registryInsecure }: InstallableEnvironment): Promise<string> {
  const registry = openRegistry({ host: registryHost, insecure: registryInsecure });
  let sless = '';
  for (const order of imageOrders()) {
    const image = await buildImage(registry, order);
    if (order.image.startsWith('sless:')) sless = image;
  }
  return sless;
}

export interface InstallOptions {
  /** Settings of the operator beside the usual ones, or in their place. */
  readonly operator?: Readonly<Record<string, string>>;
  /** The same of the api. */
  readonly api?: Readonly<Record<string, string>>;
  /** Whether pods reach the object store too. */
  readonly openStore?: boolean;
}

/** Starts everything; what was started ends again when a part of it fails to. */
export async function install(
  environment: InstallableEnvironment,
  driver: DriverName,
  options: InstallOptions = {},
): Promise<Installation> {
  const cleanup = createCleanup();
  try {
    return await start(environment, { driver, options, cleanup });
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

interface Start {
  readonly driver: DriverName;
  readonly options: InstallOptions;
  readonly cleanup: Cleanup;
}

async function start(
  environment: InstallableEnvironment,
  { driver: driverName, options, cleanup }: Start,
): Promise<Installation> {
  const { hostIp: host, kubeconfig, registryHost, registryInsecure } = environment;
  const slessImage = await buildImages(environment);
  await withServer(kubeconfig, installCrds);
  const s3 = await startVersitygw(findVersitygw() ?? '', options.openStore === true ? host : undefined);
  cleanup.add('object store', s3.close);
  const issuer = await startIssuer();
  cleanup.add('issuer', () => issuer.close());
  const internalPort = await freePort(host);
  const internalUrl = `http://${host}:${internalPort}`;
  const shared = {
    EXTERNAL_URL: 'http://sless.example.com',
    S3_BUCKET: s3.bucket,
    S3_ENDPOINT: s3.endpoint,
    KUBECONFIG: kubeconfig,
  };
  const run = async (role: 'operator' | 'api' | 'proxy', env: Readonly<Record<string, string>>) => {
    const program = await startProgram({ role, host, env: { ...shared, ...env } });
    cleanup.add(role, program.stop);
    return program;
  };
  const operator = await run('operator', {
    REGISTRY_HOST: registryHost,
    REGISTRY_INSECURE: String(registryInsecure),
    SLESS_IMAGE: slessImage,
    INTERNAL_URL: internalUrl,
    ...(environment.kanikoImage === undefined ? {} : { KANIKO_IMAGE: environment.kanikoImage }),
    ...options.operator,
  });
  const api = await run('api', {
    JWKS_URL: issuer.jwksUrl,
    INTERNAL_PORT: String(internalPort),
    S3_ACCESS_KEY: s3.accessKeyId,
    S3_SECRET_KEY: s3.secretAccessKey,
    ...options.api,
  });
  const proxy = await run('proxy', {});
  const { recordHooks: folder } = environment;
  const hooks = await openHookTap(
    operator.url,
    folder === undefined ? undefined : recordHooks(folder, driverName),
  );
  cleanup.add('tap', hooks.close);
  const driver = await startDriver(driverName, { environment, operatorUrl: hooks.url });
  cleanup.add('driver', driver.stop);
  const addProxy = () => run('proxy', {});
  const close = () => cleanup.run();
  return { operator, api, proxy, driver, hooks, issuer, addProxy, internalUrl, store: s3, close };
}

async function withServer(
  kubeconfig: string,
  work: (server: NonNullable<ReturnType<typeof apiServer>>) => Promise<void>,
): Promise<void> {
  const server = apiServer(kubeconfig);
  if (server === undefined) throw new Error('no API server');
  await work(server).finally(() => server.close());
}
