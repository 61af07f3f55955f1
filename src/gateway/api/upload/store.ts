import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ObjectStore } from '../../../ports/object-store.ts';
import { contextKey, type KeyParts, zipKey } from '../../../source/context-key.ts';
import type { PreparedContext } from '../../../source/prepare.ts';
import { deleteSidecar, writeSidecar } from '../functions/sidecar.ts';

export interface StoredUpload {
  /** The context's key: what `spec.s3Key` becomes. */
  readonly key: string;
  /** Takes it all away again, as far as that is possible. */
  readonly undo: () => Promise<void>;
}

interface UploadFiles {
  readonly zip: string;
  readonly context: string;
  readonly prepared: PreparedContext;
}

/** Stores zip, findings and context, the context last: a key that is there has everything that belongs to it. */
export async function storeUpload(
  store: ObjectStore,
  files: UploadFiles,
  parts: Omit<KeyParts, 'contentHash'>,
): Promise<StoredUpload> {
  const { codeHash, contentHash, strategy, size } = files.prepared;
  const keyParts = { ...parts, contentHash };
  const key = contextKey(keyParts);
  const undo = async () => {
    await Promise.allSettled([store.delete(zipKey(keyParts)), deleteSidecar(store, key), store.delete(key)]);
  };
  try {
    await putFile(store, zipKey(keyParts), { path: files.zip, size: (await stat(files.zip)).size });
    await writeSidecar(store, key, { code_hash: codeHash, build_plan: strategy });
    await putFile(store, key, { path: files.context, size });
    return { key, undo };
  } catch (error) {
    await undo();
    throw error;
  }
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
