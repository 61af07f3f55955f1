import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ObjectStore } from '../../../ports/object-store.ts';
import type { Review } from '../../../review/gate.ts';
import { contextKey, type KeyParts, zipKey } from '../../../source/context-key.ts';
import type { PreparedContext } from '../../../source/prepare.ts';
import { writeSidecar } from '../functions/sidecar.ts';

interface UploadFiles {
  readonly zip: string;
  readonly context: string;
  readonly prepared: PreparedContext;
  readonly review: Review | undefined;
}

/**
 * Stores zip, findings and context, the context last: a key that is there has everything that belongs to it. Keys name
 * content: an identical upload of the same second has the same ones, here or in another process. So nothing is taken away
 * again when a later step fails, and what nobody wants is left to garbage collection.
 *
 * @returns the context's key: what `spec.s3Key` becomes
 */
export async function storeUpload(
  store: ObjectStore,
  files: UploadFiles,
  parts: Omit<KeyParts, 'contentHash'>,
): Promise<string> {
  const { codeHash, contentHash, strategy, size } = files.prepared;
  const keyParts = { ...parts, contentHash };
  const key = contextKey(keyParts);
  await putFile(store, zipKey(keyParts), { path: files.zip, size: (await stat(files.zip)).size });
  const { review } = files;
  await writeSidecar(store, key, {
    code_hash: codeHash,
    build_plan: strategy,
    ...(review === undefined ? {} : { review }),
  });
  await putFile(store, key, { path: files.context, size });
  return key;
}

interface FileToPut {
  readonly path: string;
  readonly size: number;
}

async function putFile(store: ObjectStore, key: string, { path, size }: FileToPut): Promise<void> {
  const body = createReadStream(path);
  try {
    await store.put(key, body, { size });
  } finally {
    body.destroy(); // a store that fails need not have read it
  }
}
