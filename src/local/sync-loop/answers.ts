import { z } from 'zod';
import type { KubeObject } from '../../resources/kube/object.ts';
import { selectorSchema } from './selector.ts';

/** An object as a hook wants it: what Metacontroller cannot do without is there. */
const wantedObject = z.custom<KubeObject>((value) => {
  const object = value as { apiVersion?: unknown; kind?: unknown; metadata?: { name?: unknown } } | undefined;
  return [object?.apiVersion, object?.kind, object?.metadata?.name].every(
    (text) => typeof text === 'string' && text,
  );
}, 'an object needs apiVersion, kind and metadata.name');

const list = z
  .array(wantedObject)
  .nullish()
  .transform((objects) => objects ?? []);
const status = z.record(z.string(), z.unknown()).nullish();
const changes = z
  .record(z.string(), z.string().nullable())
  .nullish()
  .transform((values) => values ?? {});
const shared = { status, resyncAfterSeconds: z.number().nullish(), finalized: z.boolean().nullish() };

/** The answers of hooks v2, read strictly: an unknown member is an error. */
export const syncAnswer = z.strictObject({ ...shared, children: list });
export const decorateAnswer = z.strictObject({
  ...shared,
  attachments: list,
  labels: changes,
  annotations: changes,
});

const relatedRule = z
  .strictObject({
    apiVersion: z.string(),
    resource: z.string(),
    labelSelector: selectorSchema.nullish(),
    namespaceSelector: selectorSchema.nullish(),
    namespace: z.string().nullish(),
    names: z.array(z.string()).nullish(),
  })
  .refine(
    (rule) => !rule.names?.length || !(rule.labelSelector || rule.namespaceSelector),
    'a related rule cannot have both names and a selector',
  )
  .refine(
    (rule) => !rule.namespace || !rule.namespaceSelector,
    'a related rule cannot have both namespace and namespaceSelector',
  );

export const customizeAnswer = z.strictObject({
  relatedResources: z
    .array(relatedRule)
    .nullish()
    .transform((rules) => rules ?? []),
});

export type SyncAnswer = z.output<typeof syncAnswer>;
export type DecorateAnswer = z.output<typeof decorateAnswer>;
export type RelatedRule = z.output<typeof relatedRule>;
