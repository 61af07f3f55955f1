import { z } from 'zod';

/** RFC 1035 label, as Kubernetes asks of a Service: begins with a letter, ends with a letter or digit. */
export const DNS_1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** RFC 1123 label, as Kubernetes asks of a namespace. */
export const DNS_1123_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** RFC 1123 subdomain, as Kubernetes asks of most object names. */
export const DNS_1123_SUBDOMAIN = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * A Function's name is also its Service's and, behind a wildcard host, half of `{name}--{namespace}`: hence no `--`,
 * and 40 characters leave room for the suffixes of its children within 63.
 */
export const MAX_FUNCTION_NAME = 40;
/** Kubernetes appends 11 characters to a CronJob's name for its Jobs: 63 − 11. */
export const MAX_TRIGGER_NAME = 52;
/** A Job's name carries a hash after the FunctionJob's name. */
export const MAX_FUNCTION_JOB_NAME = 40;

export const functionName = z
  .string()
  .min(1)
  .max(MAX_FUNCTION_NAME)
  .regex(DNS_1035_LABEL, 'must be a DNS label: lower-case letters, digits and "-", beginning with a letter')
  .refine((name) => !name.includes('--'), 'must not contain "--"');

export const triggerName = z
  .string()
  .min(1)
  .max(MAX_TRIGGER_NAME)
  .regex(DNS_1123_LABEL, 'must be a DNS label: lower-case letters, digits and "-"');

export const functionJobName = z
  .string()
  .min(1)
  .max(MAX_FUNCTION_JOB_NAME)
  .regex(DNS_1123_LABEL, 'must be a DNS label: lower-case letters, digits and "-"');

export const namespaceName = z
  .string()
  .min(1)
  .max(63)
  .regex(DNS_1123_LABEL, 'must be a DNS label: lower-case letters, digits and "-"');

/** Secrets whose names begin so are meant for functions: whoever names one opted in, and no other can be read through a Function. */
export const SECRET_PREFIX = 'fn-';

/** The name of a Secret that functions may use. */
export const secretName = z
  .string()
  .max(253)
  .regex(
    /^fn-[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
    `must be the name of a Secret that begins with "${SECRET_PREFIX}"`,
  );

/** A reference to a Function of the same namespace. */
export const functionRef = z
  .string()
  .min(1)
  .max(MAX_FUNCTION_NAME)
  .regex(DNS_1035_LABEL, 'must be the name of a Function of this namespace');

/** What a schema of `metadata` cannot say: a rule on the whole object, once for CEL and once for here. */
export interface NameRule {
  readonly rule: string;
  readonly message: string;
  readonly holds: (name: string) => boolean;
}

const nameRule = (schema: z.ZodType<string>, cel: string, message: string): NameRule => ({
  rule: cel,
  message: `metadata.name ${message}`,
  holds: (name) => schema.safeParse(name).success,
});

const LABEL_1123 = "self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')";

export const FUNCTION_NAME_RULE = nameRule(
  functionName,
  `self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && self.metadata.name.size() <= ${MAX_FUNCTION_NAME} && !self.metadata.name.contains('--')`,
  `must be a DNS label of at most ${MAX_FUNCTION_NAME} characters that begins with a letter and has no "--"`,
);

export const TRIGGER_NAME_RULE = nameRule(
  triggerName,
  `${LABEL_1123} && self.metadata.name.size() <= ${MAX_TRIGGER_NAME}`,
  `must be a DNS label of at most ${MAX_TRIGGER_NAME} characters`,
);

export const FUNCTION_JOB_NAME_RULE = nameRule(
  functionJobName,
  `${LABEL_1123} && self.metadata.name.size() <= ${MAX_FUNCTION_JOB_NAME}`,
  `must be a DNS label of at most ${MAX_FUNCTION_JOB_NAME} characters`,
);
