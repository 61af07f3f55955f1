import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IncomingFile } from '../../../review/readable.ts';
import { FUNCTION_FOLDER, readContext } from '../../../source/context-reader.ts';
import type { ApiDeps, ApiOptions } from '../deps.ts';
import { type FunctionAddress, requireFunction } from '../functions/object.ts';
import { requireRuntime } from '../functions/spec-check.ts';
import type { UploadAnswer } from './answer.ts';
import { receiveZip } from './receive.ts';
import { type SettleDeps, settle, settleUnpatched } from './settle.ts';

/** 32 MiB: code, not data; a layer of that size is pulled in a second. */
const MAX_UPLOAD_BYTES = 33_554_432;

export interface UploadRequest {
  readonly address: FunctionAddress;
  readonly incoming: IncomingMessage;
  /** Whether the Function is changed; else the caller is told what to change. */
  readonly patch: boolean;
}

interface UploadContext {
  readonly deps: SettleDeps & Pick<ApiDeps, 'runtimes' | 'preparer' | 'review'>;
  readonly options: ApiOptions;
}

/**
 * Takes a zip, judges it, stores it and its context, and points the Function at it. Until the last step nothing that
 * anyone looks at has changed, and whatever is refused has not been stored.
 */
export async function upload(
  { deps, options }: UploadContext,
  request: UploadRequest,
): Promise<UploadAnswer> {
  const object = await requireFunction(deps.cluster, request.address);
  const runtime = requireRuntime(deps.runtimes, object.spec.runtime);
  const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), 'sless-upload-'));
  const [zip, context] = [join(folder, 'code.zip'), join(folder, 'context.tar.gz')];
  try {
    await receiveZip(request.incoming, {
      path: zip,
      maxBytes: options.maxUploadBytes ?? MAX_UPLOAD_BYTES,
      silenceMs: options.uploadSilenceMs,
    });
    const prepared = await deps.preparer.prepare(zip, runtime, {
      destination: context,
      entrypoint: object.spec.entrypoint,
    });
    const review = await deps.review?.review({
      runtime: runtime.title,
      files: functionFiles(context),
      codeHash: prepared.codeHash,
    });
    const files = { zip, context };
    const { address } = request;
    const accepted = { address, begun: object, runtime, prepared, review, files, bucket: options.bucket };
    return await (request.patch ? settle(deps, accepted) : settleUnpatched(deps, accepted));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The function's own files, out of the context that was just written. */
async function* functionFiles(context: string): AsyncGenerator<IncomingFile> {
  for await (const { path, content } of readContext(createReadStream(context)))
    if (path.startsWith(FUNCTION_FOLDER)) yield { name: path.slice(FUNCTION_FOLDER.length), content };
}
