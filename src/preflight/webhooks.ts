import type { InstallationSite } from '../ports/installation-site.ts';
import type { WebhookController, WebhookTrust } from '../ports/webhook-trust.ts';
import type { ControllerScope } from './controllers.ts';
import { type Finding, missing, ok } from './finding.ts';

export interface WebhookCheck {
  readonly site: Pick<InstallationSite, 'reach'>;
  readonly trust: Pick<WebhookTrust, 'controllers'>;
  /** The controllers that must be there. */
  readonly wanted: readonly Pick<ControllerScope, 'kind' | 'name'>[];
  /** The URL at which Metacontroller calls. */
  readonly url: string;
}

/** Whether our controllers are there, and whether their webhooks answer to whom they trust. */
export async function checkWebhooks({ site, trust, wanted, url }: WebhookCheck): Promise<Finding[]> {
  const there = await trust.controllers();
  const absent = wanted.filter(
    ({ kind, name }) => !there.some((found) => found.kind === kind && found.name === name),
  );
  if (absent.length > 0)
    return absent.map(({ kind, name }) =>
      missing(`the ${kind} ${name} is not there`, 'upgrade the release; it is a part of the chart'),
    );
  const authorities = new Set(there.flatMap(trustedBy));
  const findings = await Promise.all([...authorities].map((trusted) => reachFinding(site, url, trusted)));
  return [ok(`the ${there.length} controllers are there`), ...findings];
}

function trustedBy({ hooks }: WebhookController): (string | undefined)[] {
  return Object.values(hooks);
}

const CERTIFICATE =
  'run `sless certificate` again: kubectl -n <namespace> create job --from=cronjob/sless-certificate again';

async function reachFinding(
  site: Pick<InstallationSite, 'reach'>,
  url: string,
  trusted: string | undefined,
): Promise<Finding> {
  if (trusted === undefined)
    return missing('a controller does not say whom its webhook must trust', CERTIFICATE);
  try {
    await site.reach(`${url}/readyz`, trusted);
    return ok(`the webhooks answer at ${url}, and the controllers trust their certificate`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isTrust = /certificate|altnames|self-signed/i.test(why);
    const remedy = isTrust
      ? CERTIFICATE
      : 'see the pods of sless-operator, and the NetworkPolicies on the way';
    return missing(`the webhooks cannot be used at ${url}: ${why}`, remedy);
  }
}
