import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SlessError } from '../../../errors.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import type { Runtime } from '../../../runtimes/catalogue.ts';
import type { PreparedContext } from '../../../source/prepare.ts';
import type { ApiDeps, ApiOptions } from '../deps.ts';
import { notFound, patchFresh } from '../fresh-patch.ts';
import {
  asFunction,
  type FunctionAddress,
  functionRef,
  functionTitle,
  requireFunction,
} from '../functions/object.ts';
import { phaseOf } from '../functions/phase.ts';
import { keyAnnotations } from '../functions/sidecar.ts';
import { requireRuntime } from '../functions/spec-check.ts';
import type { UploadAnswer } from './answer.ts';
import { type Decision, decideUpload } from './decide.ts';
import { receiveZip } from './receive.ts';
import { storeUpload } from './store.ts';

/** 32 MiB: code, not data; a layer of that size is pulled in a second. */
const MAX_UPLOAD_BYTES = 33_554_432;

export interface UploadRequest {
  readonly address: FunctionAddress;
  readonly incoming: IncomingMessage;
  /** Whether the Function is changed; else the caller is told what to change. */
  readonly patch: boolean;
}

interface UploadContext {
  readonly deps: Pick<ApiDeps, 'cluster' | 'store' | 'runtimes' | 'preparer' | 'clock' | 'newId' | 'random'>;
  readonly options: ApiOptions;
}

interface Prepared {
  readonly object: FunctionObject;
  readonly runtime: Runtime;
  readonly context: PreparedContext;
  readonly files: { readonly zip: string; readonly context: string };
}

/**
 * Takes a zip, judges it, stores it and its context, and points the Function at it. Until the last step nothing that
 * anyone looks at has changed, and whatever is refused has not been stored.
 */
export async function upload(context: UploadContext, request: UploadRequest): Promise<UploadAnswer> {
  const { deps, options } = context;
  const object = await requireFunction(deps.cluster, request.address);
  const runtime = requireRuntime(deps.runtimes, object.spec.runtime);
  const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), 'sless-upload-'));
  const files = { zip: join(folder, 'code.zip'), context: join(folder, 'context.tar.gz') };
  try {
    await receiveZip(request.incoming, {
      path: files.zip,
      maxBytes: options.maxUploadBytes ?? MAX_UPLOAD_BYTES,
      silenceMs: options.uploadSilenceMs,
    });
    const prepared = await deps.preparer.prepare(files.zip, runtime, {
      destination: files.context,
      entrypoint: object.spec.entrypoint,
    });
    const latest = await requireSame(deps.cluster, request.address, object);
    return await settle(context, request, { object: latest, runtime, context: prepared, files });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A sender may take minutes. What is decided from here on is about the Function as it is now. */
async function requireSame(
  cluster: ApiDeps['cluster'],
  address: FunctionAddress,
  before: FunctionObject,
): Promise<FunctionObject> {
  const latest = await requireFunction(cluster, address);
  if (latest.metadata.uid !== before.metadata.uid) throw notFound(functionTitle(address));
  if (latest.spec.runtime !== before.spec.runtime || latest.spec.entrypoint !== before.spec.entrypoint)
    throw new SlessError('Conflict', 'runtime or entrypoint changed during the upload; upload again');
  return latest;
}

/** Stores what is new, then writes the key. */
async function settle(
  context: UploadContext,
  request: UploadRequest,
  prepared: Prepared,
): Promise<UploadAnswer> {
  const { deps } = context;
  const decision = await usable(deps, decide(prepared.object, prepared));
  if (decision.action !== 'store') return point(context, request, { prepared, decision });
  const key = await storeUpload(
    deps.store,
    { ...prepared.files, prepared: prepared.context },
    { ...request.address, now: deps.clock.now() },
  );
  return point(context, request, { prepared, decision: { ...decision, key } });
}

function decide(object: FunctionObject, { context, runtime }: Prepared): Decision {
  return decideUpload(object, { hash: context.contentHash, runtimeImage: runtime.image });
}

/** A build needs its context; only an image that exists does without. */
async function usable({ store }: Pick<ApiDeps, 'store'>, decision: Decision): Promise<Decision> {
  if (decision.action === 'store' || decision.action === 'set') return decision;
  return (await store.head(decision.key)) === undefined ? { action: 'store' } : decision;
}

interface Target {
  readonly prepared: Prepared;
  readonly decision: Decision & { readonly key: string };
}

/** Writes key and annotations into the Function, or tells the caller to. */
async function point(context: UploadContext, request: UploadRequest, target: Target): Promise<UploadAnswer> {
  const { deps, options } = context;
  const { prepared, decision } = target;
  const { key } = decision;
  const annotations = {
    ...keyAnnotations(key, { code_hash: prepared.context.codeHash, build_plan: prepared.context.strategy }),
    ...rebuildAnnotation(decision, deps.newId),
  };
  const base = { s3_key: key, s3_bucket: options.bucket, code_hash: prepared.context.codeHash };
  if (!request.patch) {
    const set = Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== null));
    return {
      ...base,
      ...phaseOf(prepared.object),
      annotations: set as Record<string, string>,
      message: TO_BE_SET,
    };
  }
  const uid = prepared.object.metadata.uid;
  if (uid === undefined) throw notFound(functionTitle(request.address));
  const after = await patchFresh(deps, {
    ref: functionRef(request.address),
    title: functionTitle(request.address),
    uid,
    change: () => ({ spec: { s3Key: key, s3Bucket: options.bucket }, annotations }),
  });
  const { phase } = phaseOf(asFunction(after));
  return { ...base, phase, message: decision.action === 'set' ? 'already built' : 'build queued' };
}

const TO_BE_SET = 'stored; set spec.s3Key, spec.s3Bucket and these annotations';

/** A failed build needs another word; code that changes needs none, and must not inherit the one before it. */
function rebuildAnnotation({ action }: Decision, newId: () => string): Record<string, string | null> {
  if (action === 'wait') return {};
  return { [ANNOTATIONS.rebuild]: action === 'retry' ? newId() : null };
}
