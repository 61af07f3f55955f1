import { setTimeout } from 'node:timers/promises';
import { createKubernetesWebhookTrust } from '../adapters/kubernetes/webhook-trust.ts';
import { firstCertificate, keepCertificate } from '../certificate/keep.ts';
import { webhookNames } from '../certificate/names.ts';
import type { Config } from '../config/config.ts';
import { isSlessError } from '../errors.ts';
import { createLogger } from '../telemetry/logger.ts';
import { connectKubernetes } from './kubernetes.ts';

/** Makes or renews the certificate of the webhooks and tells Metacontroller whom to trust; ends when that is done. */
export async function runCertificate(
  config: Config,
  { installed }: { readonly installed: boolean },
): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  const { connection } = connectKubernetes(config, logger);
  const { systemNamespace: namespace, operatorService: service } = config;
  const trust = createKubernetesWebhookTrust({
    connection,
    namespace,
    service,
    secret: config.certificateSecret,
    owner: config.certificateOwner,
  });
  const names = webhookNames({ namespace, service });
  try {
    const deps = { trust, clock: Date, logger };
    if (installed) await keepCertificate(deps, { names, issue: config.certificateIssue });
    else await firstCertificate({ ...deps, pause: () => setTimeout(1000) }, { names });
  } catch (error) {
    if (!isSlessError(error)) throw error;
    logger.error({ err: error }, 'the certificate could not be seen to');
    process.exitCode = 1;
  } finally {
    await connection.close();
  }
}
