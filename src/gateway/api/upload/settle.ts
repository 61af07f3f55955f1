import { SlessError } from '../../../errors.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import type { Review } from '../../../review/gate.ts';
import type { Runtime } from '../../../runtimes/catalogue.ts';
import type { PreparedContext } from '../../../source/prepare.ts';
import type { ApiDeps } from '../deps.ts';
import { type Change, notFound, patchFresh } from '../fresh-patch.ts';
import {
  asFunction,
  type FunctionAddress,
  functionRef,
  functionTitle,
  requireFunction,
} from '../functions/object.ts';
import { phaseOf } from '../functions/phase.ts';
import { forgottenRebuild, keyAnnotations } from '../functions/sidecar.ts';
import type { UploadAnswer } from './answer.ts';
import { type Decision, decideUpload } from './decide.ts';
import { storeUpload } from './store.ts';

export type SettleDeps = Pick<ApiDeps, 'cluster' | 'store' | 'clock' | 'newId' | 'random'>;

/** An upload that was received and judged. */
export interface Accepted {
  readonly address: FunctionAddress;
  /** The Function as it was when the upload began. */
  readonly begun: FunctionObject;
  readonly runtime: Runtime;
  readonly prepared: PreparedContext;
  /** What its review came to, where there is one. */
  readonly review: Review | undefined;
  readonly files: { readonly zip: string; readonly context: string };
  readonly bucket: string;
}

/** What becomes of the upload, and the key that it comes to. */
type Plan = Decision & { readonly key: string };

/**
 * Points the Function at the upload. Everything is decided about the Function as it is at the moment of the write: a sender
 * may take minutes, and of two that send the same the later one finds the key of the other.
 */
export async function settle(deps: SettleDeps, accepted: Accepted): Promise<UploadAnswer> {
  const { address, begun } = accepted;
  const { uid } = begun.metadata;
  if (uid === undefined) throw notFound(functionTitle(address));
  const plan = createPlanner(deps, accepted);
  let planned: Plan | undefined;
  const after = await patchFresh(deps, {
    ref: functionRef(address),
    title: functionTitle(address),
    uid,
    change: async (current) => {
      const object = asFunction(current);
      planned = await plan(object);
      return changeTo(planned, { deps, object, accepted });
    },
  });
  // `change` was asked at least once.
  const { action, key } = planned as Plan;
  const { phase } = phaseOf(asFunction(after));
  return { ...facts(accepted, key), phase, message: action === 'set' ? 'already built' : 'build queued' };
}

/** Stores the upload and says what is to be changed, for those who change it elsewhere. */
export async function settleUnpatched(deps: SettleDeps, accepted: Accepted): Promise<UploadAnswer> {
  const { address, begun } = accepted;
  const object = await requireFunction(deps.cluster, address);
  if (object.metadata.uid !== begun.metadata.uid) throw notFound(functionTitle(address));
  const planned = await createPlanner(deps, accepted)(object);
  const { annotations = {} } = changeTo(planned, { deps, object, accepted });
  const set = Object.entries(annotations).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return {
    ...facts(accepted, planned.key),
    ...phaseOf(object),
    annotations: Object.fromEntries(set),
    message: 'stored; set spec.s3Key, spec.s3Bucket and these annotations',
  };
}

/** Plans by a Function as it is; asked again, it stores nothing a second time. */
function createPlanner(deps: SettleDeps, accepted: Accepted): (object: FunctionObject) => Promise<Plan> {
  const { address, begun, runtime, prepared, review, files } = accepted;
  const content = { hash: prepared.contentHash, runtimeImage: runtime.image };
  let stored: Promise<string> | undefined;
  const store = (): Promise<string> =>
    storeUpload(deps.store, { ...files, prepared, review }, { ...address, now: deps.clock.now() });
  return async (object) => {
    requireUnchanged(begun, object);
    const decision = await usable(deps, decideUpload(object, content));
    if (decision.action !== 'store') return decision;
    stored ??= store();
    return { ...decision, key: await stored };
  };
}

/** What was judged by them is good for them alone. */
function requireUnchanged(begun: FunctionObject, { spec }: FunctionObject): void {
  if (spec.runtime !== begun.spec.runtime || spec.entrypoint !== begun.spec.entrypoint)
    throw new SlessError('Conflict', 'runtime or entrypoint changed during the upload; upload again');
}

/** A build needs its context; only an image that exists does without. */
async function usable({ store }: Pick<ApiDeps, 'store'>, decision: Decision): Promise<Decision> {
  if (decision.action === 'store' || decision.action === 'set') return decision;
  return (await store.head(decision.key)) === undefined ? { action: 'store' } : decision;
}

interface ChangeContext {
  readonly deps: Pick<ApiDeps, 'newId'>;
  readonly object: FunctionObject;
  readonly accepted: Accepted;
}

function changeTo({ action, key }: Plan, { deps, object, accepted }: ChangeContext): Change {
  const { codeHash, strategy } = accepted.prepared;
  return {
    spec: { s3Key: key, s3Bucket: accepted.bucket },
    annotations: {
      ...keyAnnotations(key, { code_hash: codeHash, build_plan: strategy }),
      // A failed build needs another word to be tried again.
      ...(action === 'retry' ? { [ANNOTATIONS.rebuild]: deps.newId() } : forgottenRebuild(object, key)),
    },
  };
}

const facts = ({ bucket, prepared }: Accepted, key: string) => ({
  s3_key: key,
  s3_bucket: bucket,
  code_hash: prepared.codeHash,
});
