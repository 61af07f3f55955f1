import { z } from 'zod';
import { conditionsOf } from '../kube/conditions.ts';
import { functionRef } from '../kube/names.ts';
import type { TypedObject } from '../kube/object.ts';
import { immutable } from '../kube/rule.ts';
import { jsonText } from '../kube/text.ts';

/** Metacontroller keeps a copy of every child in an annotation, and all annotations of an object share 256 KiB. */
const MAX_EVENT_KIB = 96;

/** The spec of a FunctionJob, design.md section 2. */
export const functionJobSpecSchema = z.object({
  functionRef: immutable(functionRef).describe(
    'The name of a Function of this namespace. It cannot be changed.',
  ),
  eventJSON: jsonText(MAX_EVENT_KIB)
    .optional()
    .describe('The event as JSON text, at most 96 KiB. Without it: {}.'),
  runID: z
    .int()
    .min(0)
    .default(0)
    .meta({ format: 'int64' })
    .describe('0 runs nothing; 1 is the first run, and each higher number than the last one runs again.'),
  retries: z.int32().min(0).max(10).default(0).describe('How often a failed run is tried again.'),
  timeoutSeconds: z
    .int32()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('The time limit of a run with its retries.'),
  ttlSecondsAfterFinished: z
    .int32()
    .min(0)
    .optional()
    .describe('How long the FunctionJob is kept after its run ended. Without it: for ever.'),
});

export const FUNCTION_JOB_PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Skipped'] as const;

export const functionJobStatusSchema = z.object({
  observedGeneration: z.int().optional().describe('The metadata.generation that this status is about.'),
  phase: z.enum(FUNCTION_JOB_PHASES).optional().describe('Pending, Running, Succeeded, Failed or Skipped.'),
  runID: z.int().optional().meta({ format: 'int64' }).describe('The run that this status is about.'),
  lastRunID: z
    .int()
    .optional()
    .meta({ format: 'int64' })
    .describe('The highest run that ever began: it and those below it are never run again.'),
  jobUID: z.string().optional().describe('The uid of its Job, once it was seen.'),
  startTime: z.string().optional().describe('When the run began (RFC 3339, UTC).'),
  completionTime: z.string().optional().describe('When the run ended (RFC 3339, UTC).'),
  attempts: z.int().optional().describe('How many pods the run took.'),
  result: z.string().max(4096).optional().describe('What the function returned, at most 4 KiB.'),
  message: z.string().optional().describe('Why, for a person.'),
  conditions: conditionsOf(
    'Complete, Ready, Reconciling or Stalled as kstatus reads them, Applied while a child is missing, Alone while pods of the run before may still be there.',
  ),
});

export type FunctionJobSpec = z.output<typeof functionJobSpecSchema>;
export type FunctionJobSpecInput = z.input<typeof functionJobSpecSchema>;
export type FunctionJobStatus = z.infer<typeof functionJobStatusSchema>;
export type FunctionJobObject = TypedObject<FunctionJobSpecInput, FunctionJobStatus>;
