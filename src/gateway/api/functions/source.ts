import { z } from '@hono/zod-openapi';
import type { Context, TypedResponse } from 'hono';
import { SlessError } from '../../../errors.ts';
import { readSource, type SourceText } from '../../../source/source-files.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps, ApiEnv, ApiOptions } from '../deps.ts';
import { functionParams } from '../request/params.ts';
import { createSlots, inSlot } from '../request/slots.ts';
import { requireFunction } from './object.ts';
import { requireOwnKey } from './spec-check.ts';

const SOURCE_FILE = { name: 'handler.py', size: 36, content: 'def handle(event):\n    return event\n' };

const sourceFile = z
  .object({
    name: z.string().describe('Path within the code.'),
    size: z.int().openapi({ type: 'integer', format: 'int64', description: 'Bytes.' }),
    content: z.string().nullable().describe('The text; null where omitted says why there is none.'),
    omitted: z.enum(['binary', 'too large']).optional(),
  })
  .openapi('SourceFile', { example: SOURCE_FILE });

export const readSourceRoute = operation(
  [
    'NamespaceNotFound',
    'NotFound',
    'NoSuchVersion',
    'ForbiddenSource',
    'InvalidRequest',
    'InvalidArchive',
    'TooManyRequests',
  ],
  {
    method: 'get',
    path: '/v1/namespaces/{ns}/functions/{name}/source',
    operationId: 'readSource',
    tags: ['code'],
    summary: 'The code that is wanted now, file by file.',
    description:
      'Texts of up to 512 KiB a file, and 8 MiB of JSON in all; what is beyond is listed without its content.',
    request: { params: functionParams },
    responses: { 200: json('The files, by path.', z.array(sourceFile), [SOURCE_FILE]) },
  },
);

/** Each holds up to `MAX_SHOWN_BYTES` of JSON until its caller has read it. */
const READERS_PER_TENANT = 4;
const READERS_TOTAL = 8;
/** A caller that takes nothing for so long holds one of few places for nothing. */
const SILENCE_MS = 30_000;

export function registerReadSource(app: ApiApp, { cluster, store }: ApiDeps, options: ApiOptions): void {
  const slots = createSlots({
    what: 'readers of code',
    perTenant: options.sourceReadersPerTenant ?? READERS_PER_TENANT,
    total: options.sourceReadersTotal ?? READERS_TOTAL,
  });
  app.openapi(readSourceRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const { s3Key: key } = (await requireFunction(cluster, address)).spec;
    if (key === undefined)
      throw new SlessError('NoSuchVersion', `the function ${JSON.stringify(address.name)} has no code yet`);
    requireOwnKey(address, key);
    return inSlot(slots, c, async () => {
      const { body } = await store.get(key);
      const pieces = await jsonPieces(readSource(body, c.req.raw.signal)).catch((error: unknown) => {
        throw c.req.raw.signal.aborted ? callerLeft(error) : error;
      });
      c.env?.outgoing?.setTimeout(SILENCE_MS, () => c.env?.outgoing?.destroy());
      return answerOf(c, pieces);
    });
  });
}

/** A JSON array in pieces. Every file becomes its own at once, so that no text lies beside the JSON that it turned into. */
async function jsonPieces(files: AsyncIterable<SourceText>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const file of files)
    pieces.push(Buffer.from(`${pieces.length === 0 ? '[' : ','}${JSON.stringify(file)}`));
  pieces.push(Buffer.from(pieces.length === 0 ? '[]' : ']'));
  return pieces;
}

/** Sends the pieces as the caller takes them, and lets go of each. */
function answerOf(c: Context<ApiEnv>, pieces: Buffer[]) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'application/json', 'content-length': String(length) };
  // The JSON of the schema above, for the types of the route.
  return c.body(stream, 200, headers) as unknown as TypedResponse<z.infer<typeof sourceFile>[], 200, 'json'>;
}

function callerLeft(cause: unknown): SlessError {
  return new SlessError('InvalidRequest', 'the request was broken off', { cause });
}
