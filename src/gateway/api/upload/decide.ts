import { takenAnnotation } from '../../../resources/function/observed.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { isForRuntime } from '../../../resources/function/version.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import { holdsContent } from '../../../source/context-key.ts';

/**
 * What an upload of this content comes to:
 * `store` – new content, a new key; `set` – a key with a good build of it, set (again); `wait` – its build is wanted
 * already; `retry` – its build failed, and is tried again under the same key.
 */
export type Decision =
  | { readonly action: 'store' }
  | { readonly action: 'set' | 'wait' | 'retry'; readonly key: string };

interface Content {
  /** Hash of the files and the Dockerfile. */
  readonly hash: string;
  /** Repository of the wanted runtime's image, such as `sless-runtime-python3.11`. */
  readonly runtimeImage: string;
}

/** Content is told by the piece of its hash in the key, so this asks nobody. */
export function decideUpload(object: FunctionObject, content: Content): Decision {
  const { spec, status } = object;
  const current = spec.s3Key;
  const history = status?.history ?? [];
  if (current !== undefined && holdsContent(current, content.hash)) {
    const build = status?.build;
    if (build?.key === current && build.reason !== undefined)
      return { action: isRequested(object) ? 'wait' : 'retry', key: current };
    const isBuilt = history.some(
      (entry) => entry.key === current && isForRuntime(entry, content.runtimeImage),
    );
    return { action: isBuilt ? 'set' : 'wait', key: current };
  }
  // The same files may have been built for another runtime, when neither needs an install step.
  const built = history.find(
    (entry) => holdsContent(entry.key, content.hash) && isForRuntime(entry, content.runtimeImage),
  );
  return built === undefined ? { action: 'store' } : { action: 'set', key: built.key };
}

/** Whether another try was asked for already, and the build that failed is the one before it. */
function isRequested(object: FunctionObject): boolean {
  const rebuild = takenAnnotation(object, ANNOTATIONS.rebuild);
  return rebuild !== undefined && rebuild !== object.status?.build?.rebuild;
}
