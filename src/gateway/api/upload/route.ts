import { z } from '@hono/zod-openapi';
import { SlessError } from '../../../errors.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { functionParams } from '../request/params.ts';
import { createSlots, inSlot } from '../request/slots.ts';
import { uploadAnswer } from './answer.ts';
import { upload } from './upload.ts';

const UPLOADS_PER_TENANT = 4;
const UPLOADS_TOTAL = 32;
/** An upload of some MiB is through in a second or two; clients give up after half a minute. */
const WAIT_MS = 10_000;

const query = z.object({
  patch: z
    .enum(['true', 'false'])
    .default('true')
    .openapi({ description: 'false stores the code and answers its key without touching the function.' }),
});

// No zod schema: the validator would read the whole body into memory. The handler checks the form while it streams.
const form = {
  type: 'object' as const,
  required: ['code'],
  additionalProperties: false,
  properties: {
    code: { type: 'string' as const, format: 'binary', description: 'A zip of at most 32 MiB.' },
  },
};

export const uploadRoute = operation(
  [
    'NamespaceNotFound',
    'NotFound',
    'InvalidRequest',
    'InvalidArchive',
    'EntrypointNotFound',
    'InvalidCode',
    'UnknownRuntime',
    'PayloadTooLarge',
    'UnsupportedMediaType',
    'TooManyRequests',
    'Conflict',
  ],
  {
    method: 'post',
    path: '/v1/namespaces/{ns}/functions/{name}/upload',
    operationId: 'uploadCode',
    tags: ['code'],
    summary: 'Takes a zip of code: it is verified, stored, and built when its content is new.',
    description:
      'At most 32 MiB, 10,000 files and 256 MiB unpacked. Content with a good build is not built again: its key is set and the message is "already built". Four of a namespace are taken at once unless the installation says otherwise; more wait for their turn, ten seconds at most, then the answer is 429 with Retry-After.',
    request: {
      params: functionParams,
      query,
      body: {
        required: true,
        description: 'curl -F code=@function.zip',
        content: { 'multipart/form-data': { schema: form, example: { code: 'function.zip' } } },
      },
    },
    responses: { 200: json('The code is stored.', uploadAnswer) },
  },
);

export function registerUpload(app: ApiApp, deps: ApiDeps, options: ApiOptions): void {
  const slots = createSlots({
    what: 'uploads',
    perTenant: options.uploadsPerTenant ?? UPLOADS_PER_TENANT,
    total: options.uploadsTotal ?? UPLOADS_TOTAL,
    waitMs: options.uploadWaitMs ?? WAIT_MS,
  });
  app.openapi(uploadRoute, async (c) => {
    const { incoming } = c.env;
    if (incoming === undefined) throw new SlessError('Internal', 'uploads need a node:http server');
    const namespace = c.get('namespace');
    const address = { namespace, name: c.req.valid('param').name };
    const patch = c.req.valid('query').patch === 'true';
    const request = { address, incoming, patch };
    return inSlot(slots, c, async () => c.json(await upload({ deps, options }, request), 200));
  });
}
