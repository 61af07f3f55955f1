import type { z } from 'zod';
import { functionSpecSchema, functionStatusSchema } from './function/schema.ts';
import { functionJobSpecSchema, functionJobStatusSchema } from './function-job/schema.ts';
import { KINDS, type Kind } from './kube/kinds.ts';
import {
  FUNCTION_JOB_NAME_RULE,
  FUNCTION_NAME_RULE,
  type NameRule,
  TRIGGER_NAME_RULE,
} from './kube/names.ts';
import { triggerSpecSchema, triggerStatusSchema } from './trigger/schema.ts';

/**
 * The status of an object that no hook has seen yet. Without it, who waits by the rules of kstatus takes a new object, which has neither a
 * generation nor conditions to be judged by, for one that is done.
 */
export const UNSEEN_STATUS = Object.freeze({ observedGeneration: -1 });

/** A column that `kubectl get` shows. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean';
  readonly jsonPath: string;
  readonly description: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
}

/** Everything that a CustomResourceDefinition is made from, and that objects are judged by where there is none. */
export interface Definition {
  readonly kind: Kind;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly nameRule: NameRule;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly columns: readonly PrinterColumn[];
}

const condition = (type: string, field: 'status' | 'reason'): string =>
  `.status.conditions[?(@.type=="${type}")].${field}`;

const column = (name: string, jsonPath: string, description: string): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath,
  description,
});

const message = column('Message', '.status.message', 'Why, for a person.');
const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Since when the object exists.',
  priority: 1,
};

/** The three kinds of sless. */
export const DEFINITIONS: readonly Definition[] = [
  {
    kind: KINDS.Function,
    singular: 'function',
    shortNames: ['fn'],
    description:
      'A function: code in a zip that runs behind a URL. It is built into an image and served by a Deployment and a Service of its name.',
    nameRule: FUNCTION_NAME_RULE,
    spec: functionSpecSchema,
    status: functionStatusSchema,
    columns: [
      column('Runtime', '.spec.runtime', 'The runtime that runs the code.'),
      column('Phase', '.status.phase', 'Pending, Building, Deploying, Ready or Failed.'),
      column('Available', condition('Available', 'status'), 'Whether a pod can take calls.'),
      {
        name: 'Image age',
        type: 'date',
        jsonPath: '.status.lastBuiltAt',
        description: 'Since when the deployed image exists.',
      },
      message,
      { ...column('Image', '.status.image', 'The image that is deployed.'), priority: 1 },
      age,
    ],
  },
  {
    kind: KINDS.Trigger,
    singular: 'trigger',
    shortNames: ['trg'],
    description: 'What calls a Function: HTTP requests, a schedule, or the messages of a queue.',
    nameRule: TRIGGER_NAME_RULE,
    spec: triggerSpecSchema,
    status: triggerStatusSchema,
    columns: [
      column('Type', '.spec.type', 'http, cron or event.'),
      column('Function', '.spec.functionRef', 'The function that it calls.'),
      { name: 'Enabled', type: 'boolean', jsonPath: '.spec.enabled', description: 'Whether it shall call.' },
      {
        name: 'Active',
        type: 'boolean',
        jsonPath: '.status.active',
        description: 'Whether calls come through.',
      },
      column('URL', '.status.url', 'http: where the function is reached.'),
      message,
      age,
    ],
  },
  {
    kind: KINDS.FunctionJob,
    singular: 'functionjob',
    shortNames: ['fnjob'],
    description: 'One run of a Function, such as a migration; a higher runID runs again.',
    nameRule: FUNCTION_JOB_NAME_RULE,
    spec: functionJobSpecSchema,
    status: functionJobStatusSchema,
    columns: [
      column('Function', '.spec.functionRef', 'The function that is run.'),
      { name: 'Run', type: 'integer', jsonPath: '.spec.runID', description: 'The run that is wanted.' },
      column('Phase', '.status.phase', 'Pending, Running, Succeeded, Failed or Skipped.'),
      {
        name: 'Completed',
        type: 'date',
        jsonPath: '.status.completionTime',
        description: 'Since when the run has ended.',
      },
      message,
      age,
    ],
  },
];

/** The definition of that kind; `undefined` for kinds that are not ours. */
export function definitionOf(kind: string): Definition | undefined {
  return DEFINITIONS.find((definition) => definition.kind.kind === kind);
}
