import { z } from 'zod';

/**
 * What the reporter found out about the pods of a Job or a Deployment, kept as JSON in the annotation
 * `sless.dev/report` of that owner. The hooks copy it into status, so they need not watch pods.
 */
export const reportSchema = z.object({
  /** Digest of the image that a build pushed, `sha256:<hex>`. */
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .optional(),
  /** When that was done: with it, the digest alone says that a build is complete. */
  finishedAt: z.iso.datetime().optional(),
  /** An error code of the table in `errors.ts`. Anything else is read as if it were absent. */
  reason: z.string().max(64).optional(),
  /** For a person: exit code, last lines of output. At most 2 KiB. */
  message: z.string().max(2048).optional(),
  container: z.string().max(63).optional(),
  /** The image of the pods that this is about; it says nothing of pods with another one. */
  image: z.string().max(512).optional(),
  exitCode: z.int().optional(),
  /** The text that a once-mode run left behind. At most 4 KiB. */
  result: z.string().max(4096).optional(),
});

/** See `reportSchema`. */
export type Report = z.infer<typeof reportSchema>;

/** The report that an annotation holds; `undefined` for none, and for one that is not well formed. */
export function parseReport(annotation: string | undefined): Report | undefined {
  if (annotation === undefined) return undefined;
  try {
    return reportSchema.safeParse(JSON.parse(annotation)).data;
  } catch {
    return undefined;
  }
}
