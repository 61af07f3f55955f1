import { z } from 'zod';
import { withoutUndefined } from '../kube/canonical.ts';
import { shortHash } from '../kube/hash.ts';
import { KINDS } from '../kube/kinds.ts';
import { ANNOTATIONS, LABELS } from '../kube/labels.ts';
import { functionRef, secretName } from '../kube/names.ts';
import { annotationOf, controllerOf, type KubeObject } from '../kube/object.ts';
import { boundedText } from '../kube/text.ts';

/** A number as a ConfigMap holds it. */
const count = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,4}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

/** The `data` of a consumer ConfigMap: all that the dispatcher is told of an event Trigger. Every value is a text. */
export const consumerDataSchema = z.object({
  /** As the Trigger has it: the dispatcher resolves it, by the template of the installation or on the broker of `brokerSecret`. */
  queue: boundedText(1, 255),
  /** A Function of the ConfigMap's own namespace. */
  function: functionRef,
  /** Messages in flight at once. */
  prefetch: count(1, 1000),
  /** Tries before the dead letter. */
  maxAttempts: count(1, 100),
  /** What one call may take, from the Function. */
  timeoutSeconds: count(1, 3600),
  /** Resolved as `queue` is. Absent: `sless.dead.{namespace}.{trigger}`. */
  deadLetterQueue: boundedText(1, 255).optional(),
  /** A Secret of the ConfigMap's namespace with the key `url`. Absent: the broker of the installation. */
  brokerSecret: secretName.optional(),
});

/** What a consumer ConfigMap says. */
export type ConsumerData = z.output<typeof consumerDataSchema>;

/** The consumer of an event Trigger. */
export interface Consumer extends ConsumerData {
  readonly namespace: string;
  /** The Trigger that owns the ConfigMap. */
  readonly trigger: string;
  /** Its uid: the dispatcher honours a ConfigMap only while that very Trigger lives. */
  readonly triggerUid: string;
}

/** Its name carries a hash of the Trigger's uid: one made again under its name does not wait for what its predecessor left. */
export function consumerName(of: Pick<Consumer, 'trigger' | 'triggerUid'>): string {
  return `${of.trigger}-c-${shortHash(of.triggerUid)}`;
}

/** Where the dead letters of a Trigger go that names no queue for them; `owner` is `{namespace}.{trigger}`. */
export const deadLetterQueueOf = (owner: string): string => `sless.dead.${owner}`;

/** The ConfigMap that the dispatcher watches for, by the label `sless.dev/consumer=true`. Metacontroller adds the owner reference. */
export function buildConsumer(consumer: Consumer): KubeObject {
  const { namespace, trigger, triggerUid: _, ...data } = consumer;
  return {
    apiVersion: KINDS.ConfigMap.apiVersion,
    kind: KINDS.ConfigMap.kind,
    metadata: {
      name: consumerName(consumer),
      namespace,
      labels: {
        [LABELS.managedBy]: 'sless',
        [LABELS.component]: 'consumer',
        [LABELS.consumer]: 'true',
        [LABELS.function]: data.function,
        [LABELS.trigger]: trigger,
      },
    },
    data: withoutUndefined({
      brokerSecret: data.brokerSecret,
      deadLetterQueue: data.deadLetterQueue,
      function: data.function,
      maxAttempts: String(data.maxAttempts),
      prefetch: String(data.prefetch),
      queue: data.queue,
      timeoutSeconds: String(data.timeoutSeconds),
    }),
  };
}

/**
 * The consumer that a ConfigMap describes; `undefined` for one that no Trigger owns or that was altered beyond reading. Whether its owner
 * lives is the reader's to look up.
 */
export function readConsumer(configMap: KubeObject): Consumer | undefined {
  const owner = controllerOf(configMap);
  const data = consumerDataSchema.safeParse(configMap.data).data;
  const { apiVersion, kind } = KINDS.Trigger;
  if (data === undefined || owner?.kind !== kind || owner.apiVersion !== apiVersion) return undefined;
  const { namespace = '' } = configMap.metadata;
  return { ...data, namespace, trigger: owner.name, triggerUid: owner.uid };
}

/**
 * How a consumer is, as JSON in the annotation `sless.dev/consumer-state` of its ConfigMap. The dispatcher writes it when the state
 * changes, never for a message; the hook of the Trigger copies it into status.
 */
export const consumerStateSchema = z.object({
  /** Whether messages come through. One that pauses (for a function that is stopped, rolling or busy) is connected, with the reason. */
  connected: z.boolean(),
  /** A code of the table in `errors.ts`: why it is not connected, or why it pauses. Absent while messages flow. */
  reason: z.string().max(64).optional(),
  /** The same for a person. Nothing secret: neither the broker's URL nor its credentials. */
  message: z.string().max(1024).optional(),
  /** Since when it is so (RFC 3339, UTC). */
  since: z.iso.datetime(),
});

/** See `consumerStateSchema`. */
export type ConsumerState = z.infer<typeof consumerStateSchema>;

/** The state that a ConfigMap carries; `undefined` while no dispatcher has said anything, and for what is not well formed. */
export function consumerStateOf(configMap: KubeObject): ConsumerState | undefined {
  const annotation = annotationOf(configMap, ANNOTATIONS.consumerState);
  if (annotation === undefined) return undefined;
  try {
    return consumerStateSchema.safeParse(JSON.parse(annotation)).data;
  } catch {
    return undefined;
  }
}
