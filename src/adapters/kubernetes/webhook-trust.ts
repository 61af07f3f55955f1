import { z } from 'zod';
import { type ErrorCode, isSlessError } from '../../errors.ts';
import type {
  CertificateSecret,
  CertificateTexts,
  WebhookController,
  WebhookTrust,
} from '../../ports/webhook-trust.ts';
import type { Connection } from './connection.ts';
import { isUnknownKind } from './refusal.ts';

interface Options {
  readonly connection: Pick<Connection, 'request'>;
  /** Where sless is installed. */
  readonly namespace: string;
  readonly secret: string;
  /** The Service of the webhooks, in that namespace. */
  readonly service: string;
  /** The ServiceAccount with which the Secret goes. */
  readonly owner: string;
}

const ownerReferenceSchema = z.object({ kind: z.string(), name: z.string(), uid: z.string() });
const secretSchema = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    ownerReferences: z.array(ownerReferenceSchema).default([]),
  }),
  data: z.record(z.string(), z.string()).default({}),
});
const webhookSchema = z.object({
  service: z.object({ name: z.string(), namespace: z.string() }).optional(),
  caBundle: z.object({ inline: z.string().optional() }).optional(),
});
const controllersSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ hooks: z.record(z.string(), z.object({ webhook: webhookSchema.optional() })) }),
    }),
  ),
});
const ownerSchema = z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) });

type OwnerReference = z.infer<typeof ownerReferenceSchema>;
type Listed = z.infer<typeof controllersSchema>['items'][number];

const GROUP = '/apis/metacontroller.k8s.io/v1alpha1';
const PLURALS = {
  CompositeController: 'compositecontrollers',
  DecoratorController: 'decoratorcontrollers',
} as const;
const MERGE_PATCH = 'application/merge-patch+json';
/** Under this name our part of the controllers appears in `managedFields`, apart from what Helm or Argo CD own. */
const FIELD_MANAGER = 'sless-certificate';

/** The certificate's Secret and the controllers, on a real API server. */
export function createKubernetesWebhookTrust(options: Options): WebhookTrust {
  const { connection, namespace, secret, service, owner } = options;
  const core = `/api/v1/namespaces/${namespace}`;
  const request = connection.request;
  const patch = (path: string, body: object) =>
    request({
      method: 'PATCH',
      path,
      body,
      contentType: MERGE_PATCH,
      query: { fieldManager: FIELD_MANAGER },
    });
  const find = (path: string) => absentIfNotFound(request({ method: 'GET', path }));
  return {
    secret: async () => {
      const found = await find(`${core}/secrets/${secret}`);
      if (found === undefined) return undefined;
      const { metadata, data } = secretSchema.parse(found);
      const { ownerReferences, resourceVersion: version } = metadata;
      return { owner: await ownerOf(ownerReferences), version, ...textsIn(data) };
    },
    createSecret: (texts) => {
      const body = secretObject({ name: secret, namespace }, texts);
      return unlessRefused(request({ method: 'POST', path: `${core}/secrets`, body }), ['AlreadyExists']);
    },
    replaceSecret: (resourceVersion, texts) => {
      const change = { metadata: { resourceVersion }, data: dataOf(texts) };
      return unlessRefused(patch(`${core}/secrets/${secret}`, change), ['Conflict', 'NotFound']);
    },
    ownSecret: async () => {
      const found = await find(`${core}/serviceaccounts/${owner}`);
      if (found === undefined) return;
      const { metadata } = ownerSchema.parse(found);
      const reference = { apiVersion: 'v1', kind: 'ServiceAccount', name: metadata.name, uid: metadata.uid };
      await patch(`${core}/secrets/${secret}`, { metadata: { ownerReferences: [reference] } });
    },
    controllers: async () => {
      const lists = (Object.keys(PLURALS) as WebhookController['kind'][]).map(async (kind) => {
        const found = await absentIfNotFound(request({ method: 'GET', path: `${GROUP}/${PLURALS[kind]}` }));
        const { items } = controllersSchema.parse(found ?? { items: [] });
        return items.filter(isOurs).map((item) => ({ kind, ...readController(item) }));
      });
      return (await Promise.all(lists)).flat();
    },
    trust: async ({ kind, name, hooks }, inline) => {
      const trusting = Object.keys(hooks).map((hook) => [hook, { webhook: { caBundle: { inline } } }]);
      await patch(`${GROUP}/${PLURALS[kind]}/${name}`, { spec: { hooks: Object.fromEntries(trusting) } });
    },
  };

  /** Installed again, the account has its name and not its uid: what its predecessor owned is about to be collected. */
  async function ownerOf(references: readonly OwnerReference[]): Promise<CertificateSecret['owner']> {
    const named = references.filter((one) => one.kind === 'ServiceAccount' && one.name === owner);
    if (named.length === 0) return references.length === 0 ? 'none' : 'ours';
    const account = await find(`${core}/serviceaccounts/${owner}`);
    const uid = account === undefined ? undefined : ownerSchema.parse(account).metadata.uid;
    return named.some((one) => one.uid === uid) ? 'ours' : 'gone';
  }

  function isOurs({ spec }: Listed): boolean {
    return Object.values(spec.hooks).some(
      ({ webhook }) => webhook?.service?.name === service && webhook.service.namespace === namespace,
    );
  }
}

function readController({ metadata, spec }: Listed): Omit<WebhookController, 'kind'> {
  const hooks = Object.entries(spec.hooks).map(([name, { webhook }]) => [name, webhook?.caBundle?.inline]);
  return { name: metadata.name, hooks: Object.fromEntries(hooks) };
}

const KEYS = { certificate: 'tls.crt', key: 'tls.key', authorities: 'ca.crt' } as const;

function textsIn(data: Readonly<Record<string, string>>): Partial<CertificateTexts> {
  const texts = Object.entries(KEYS)
    .filter(([, key]) => data[key])
    .map(([name, key]) => [name, Buffer.from(data[key] ?? '', 'base64').toString('utf8')]);
  return Object.fromEntries(texts);
}

function secretObject(
  metadata: { readonly name: string; readonly namespace: string },
  texts: CertificateTexts,
): object {
  const labels = { 'app.kubernetes.io/part-of': 'sless', 'app.kubernetes.io/component': 'operator' };
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: { ...metadata, labels } },
    data: dataOf(texts),
  };
}

function dataOf(texts: CertificateTexts): Record<string, string> {
  const data = Object.entries(KEYS).map(([name, key]) => [
    key,
    // The keys of KEYS are those of the texts.
    Buffer.from(texts[name as keyof typeof KEYS], 'utf8').toString('base64'),
  ]);
  return Object.fromEntries(data);
}

/** Whether the write took place; of these refusals none is an error. */
async function unlessRefused(answer: Promise<unknown>, expected: readonly ErrorCode[]): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (expected.some((code) => isSlessError(error, code))) return false;
    throw error;
  }
}

async function absentIfNotFound(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (isSlessError(error, 'NotFound') || isUnknownKind(error)) return undefined;
    throw error;
  }
}
