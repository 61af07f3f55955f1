import { createKubernetesWebhookTrust } from '../adapters/kubernetes/webhook-trust.ts';
import { keepCertificate } from '../certificate/keep.ts';
import { webhookNames } from '../certificate/names.ts';
import type { Config } from '../config/config.ts';
import { createLogger } from '../telemetry/logger.ts';
import { connectKubernetes } from './kubernetes.ts';

/** Makes or renews the certificate of the webhooks and tells Metacontroller whom to trust; ends when that is done. */
export async function runCertificate(config: Config): Promise<void> {
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
    await keepCertificate({ trust, clock: Date, logger }, { names, issue: config.certificateIssue });
  } finally {
    await connection.close();
  }
}
