import { z } from '@hono/zod-openapi';
import { FUNCTION_PHASES } from '../../../resources/function/schema.ts';

/** What became of a change of code. */
export const uploadAnswer = z
  .object({
    s3_key: z.string().describe('The build context that is wanted now, or that may be set.'),
    s3_bucket: z.string().describe('The bucket that it lies in.'),
    code_hash: z.string().describe('SHA-256 over the normalised files.'),
    phase: z.enum(FUNCTION_PHASES),
    message: z.string().describe('build queued, or already built.'),
    annotations: z
      .record(z.string(), z.string())
      .optional()
      .describe('With patch=false: the annotations that go with the key.'),
  })
  .openapi('Upload', {
    example: {
      s3_key: 'contexts/sless-2bd806c97f0e00af/hello/20260301120000-0f343b0931126a20.tar.gz',
      s3_bucket: 'sless',
      code_hash: '0f343b0931126a20f133d67c2b018a3b1cbd8f2d6c0c2f0c2d7d3bb2d5c7c6a1',
      phase: 'Pending',
      message: 'build queued',
    },
  });

export type UploadAnswer = z.infer<typeof uploadAnswer>;

/** What became of a rollback, a rebuild or a restart. */
export const acceptedAnswer = z
  .object({
    s3_key: z.string().nullable().describe('The build context that is wanted now.'),
    phase: z.enum(FUNCTION_PHASES),
    message: z.string(),
  })
  .openapi('Accepted', {
    example: {
      s3_key: 'contexts/sless-2bd806c97f0e00af/hello/20260301120000-0f343b0931126a20.tar.gz',
      phase: 'Pending',
      message: 'waiting for the operator',
    },
  });
