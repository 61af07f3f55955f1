import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { isSlessError } from '../../../errors.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import { contextPrefix, zipKeyOf } from '../../../source/context-key.ts';
import type { BuildStrategy } from '../../../source/dockerfile.ts';
import { keyedText } from './keyed-annotation.ts';
import type { FunctionAddress } from './object.ts';

/**
 * What an upload found out about its content, kept as JSON beside the zip: annotations speak of the current key alone,
 * and a rollback brings back an older one.
 */
const sidecarSchema = z.object({
  code_hash: z.string().regex(/^[0-9a-f]{64}$/),
  build_plan: z.enum(['append', 'dockerfile'] satisfies BuildStrategy[]),
  review: z
    .object({ verdict: z.enum(['safe', 'too large', 'unreviewed']), model: z.string().optional() })
    .optional(),
});

export type Sidecar = z.infer<typeof sidecarSchema>;

/** A sidecar is some 120 bytes. Whatever is larger is not ours. */
const MAX_BYTES = 4096;

function sidecarKey(contextKey: string): string | undefined {
  return zipKeyOf(contextKey)?.replace(/\.zip$/, '.json');
}

/** Keeps the findings about a context that an upload stored. */
export async function writeSidecar(store: ObjectStore, contextKey: string, sidecar: Sidecar): Promise<void> {
  const key = sidecarKey(contextKey);
  if (key === undefined) return;
  const body = Buffer.from(JSON.stringify(sidecar));
  await store.put(key, body, { size: body.length });
}

export interface SidecarOwner {
  readonly store: ObjectStore;
  /** The function whose contexts may be asked about. */
  readonly address: FunctionAddress;
}

/** The findings about a context; `undefined` for one that no upload of this function made. */
export async function readSidecar(
  { store, address }: SidecarOwner,
  contextKey: string,
): Promise<Sidecar | undefined> {
  const key = sidecarKey(contextKey);
  if (key === undefined || !contextKey.startsWith(contextPrefix(address))) return undefined;
  try {
    const object = await store.get(key);
    if (object.size > MAX_BYTES) {
      object.body.destroy();
      return undefined;
    }
    return sidecarSchema.safeParse(JSON.parse(await text(object.body))).data;
  } catch (error) {
    if (error instanceof SyntaxError || isSlessError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/**
 * A rebuild was asked for the code that it was asked for: other code needs none. The same key again takes nothing back, be
 * its rebuild still under way: who sends all fields, as Terraform does, names it every time.
 */
export function forgottenRebuild({ spec }: FunctionObject, key: string): Record<string, null> {
  return spec.s3Key === key ? {} : { [ANNOTATIONS.rebuild]: null };
}

/** The annotations that go with a key: for the operator, which cannot see the store. */
export function keyAnnotations(key: string, sidecar: Sidecar | undefined): Record<string, string | null> {
  return {
    [ANNOTATIONS.buildPlan]: sidecar === undefined ? null : keyedText(key, sidecar.build_plan),
    [ANNOTATIONS.codeHash]: sidecar === undefined ? null : keyedText(key, sidecar.code_hash),
  };
}
