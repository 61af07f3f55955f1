import type { ImageRegistry } from '../ports/image-registry.ts';
import type { Account, InstallationSite } from '../ports/installation-site.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { WebhookTrust } from '../ports/webhook-trust.ts';
import { type ControllerScope, readControllerScopes } from './controllers.ts';
import { checkKubernetes, checkMetacontrollerKinds, checkOurKinds } from './definitions.ts';
import { type Finding, missing } from './finding.ts';
import { checkMetacontrollerPods, checkMetacontrollerRights } from './metacontroller.ts';
import { metacontrollerRules } from './metacontroller-rights.ts';
import { checkImages, checkStore, type WantedImage } from './stores.ts';
import { checkWebhooks } from './webhooks.ts';

export interface PreflightDeps {
  readonly site: InstallationSite;
  readonly trust: Pick<WebhookTrust, 'controllers'>;
  readonly store: Pick<ObjectStore, 'list'>;
  readonly registry: Pick<ImageRegistry, 'digest'>;
}

export interface PreflightOptions {
  /** The files of `metacontroller/`. */
  readonly controllers: readonly string[];
  readonly metacontroller: Account;
  readonly webhookUrl: string;
  readonly bucket: string;
  readonly images: readonly WantedImage[];
  /** Whether sless is there already; before that, its own parts are not looked for. */
  readonly installed: boolean;
}

/** Looks at everything that an installation stands on. A check that fails is a finding, too, and stops no other. */
export async function preflight(deps: PreflightDeps, options: PreflightOptions): Promise<Finding[]> {
  const scopes = readControllerScopes(options.controllers);
  const checks = [
    ...groundChecks(deps, options, scopes),
    ...(options.installed ? ownChecks(deps, options, scopes) : []),
  ];
  const findings: Finding[] = [];
  for (const { about, look } of checks)
    findings.push(...(await look().catch((error) => [unknown(about, error)])));
  return findings;
}

interface Check {
  readonly about: string;
  readonly look: () => Promise<Finding[]>;
}

function groundChecks(
  { site, store, registry }: PreflightDeps,
  { metacontroller: account, bucket, images, installed }: PreflightOptions,
  scopes: readonly ControllerScope[],
): Check[] {
  const rules = metacontrollerRules(scopes);
  const whose = { account, installed };
  return [
    { about: 'the version of Kubernetes', look: () => checkKubernetes(site) },
    { about: "Metacontroller's CRDs", look: () => checkMetacontrollerKinds(site) },
    { about: "Metacontroller's pods", look: () => checkMetacontrollerPods(site, whose) },
    { about: "Metacontroller's rights", look: () => checkMetacontrollerRights(site, { ...whose, rules }) },
    { about: 'the object store', look: () => checkStore(store, bucket) },
    { about: 'the registry', look: () => checkImages(registry, images) },
  ];
}

function ownChecks(
  { site, trust }: PreflightDeps,
  { webhookUrl: url }: PreflightOptions,
  wanted: readonly ControllerScope[],
): Check[] {
  return [
    { about: 'the CRDs of sless', look: () => checkOurKinds(site) },
    { about: 'the webhooks', look: () => checkWebhooks({ site, trust, wanted, url }) },
  ];
}

function unknown(about: string, error: unknown): Finding {
  const why = error instanceof Error ? error.message : String(error);
  return missing(
    `nothing can be said of ${about}: ${why}`,
    'the preflight must reach the API server, with its own rights',
  );
}
