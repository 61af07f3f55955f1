import { SlessError } from '../../../errors.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import { functionSpecSchema } from '../../../resources/function/schema.ts';
import { isOwnKey, sourcePrefix } from '../../../resources/function/source-key.ts';
import type { Runtime, RuntimeCatalogue } from '../../../runtimes/catalogue.ts';
import { invalidRequest } from '../answer/mistakes.ts';
import { snakeField } from '../answer/snake-case.ts';
import type { Spec } from '../request/named-fields.ts';
import type { FunctionAddress } from './object.ts';

/**
 * The spec with its defaults.
 *
 * @throws SlessError `InvalidRequest` with every mistake under its REST name, `UnknownRuntime`
 */
export function checkSpec(spec: Spec, runtimes: RuntimeCatalogue): Spec & { readonly runtime: string } {
  const parsed = functionSpecSchema.safeParse(spec);
  if (!parsed.success) throw invalidRequest(parsed.error.issues, snakeField);
  requireRuntime(runtimes, parsed.data.runtime);
  return parsed.data;
}

/** @throws SlessError `UnknownRuntime` */
export function requireRuntime(runtimes: RuntimeCatalogue, name: string): Runtime {
  const runtime = runtimes.get(name);
  if (runtime !== undefined) return runtime;
  const known = [...runtimes.keys()].join(', ');
  throw new SlessError('UnknownRuntime', `there is no runtime ${JSON.stringify(name)}; there are: ${known}`);
}

/**
 * A key that a caller names must be of this very function, and there.
 *
 * @throws SlessError `ForbiddenSource`, `NoSuchVersion`
 */
export async function checkKey(store: ObjectStore, address: FunctionAddress, key: string): Promise<void> {
  requireOwnKey(address, key);
  if ((await store.head(key)) === undefined)
    throw new SlessError('NoSuchVersion', `there is nothing stored under ${key}`);
}

/** A key can be set with kubectl too, so that every reader asks. @throws SlessError `ForbiddenSource` */
export function requireOwnKey(address: FunctionAddress, key: string): void {
  if (isOwnKey(address, key)) return;
  const prefix = sourcePrefix(address);
  throw new SlessError(
    'ForbiddenSource',
    `s3_key must begin with ${prefix} and name one of this function's uploads`,
  );
}
