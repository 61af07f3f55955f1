import { SlessError } from '../../../errors.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { isForRuntime } from '../../../resources/function/version.ts';
import type { RuntimeCatalogue } from '../../../runtimes/catalogue.ts';

/**
 * A rollback builds nothing, so it needs a good build of that key, and one for the runtime that the function has now: on another
 * runtime's image the same code would be another build.
 *
 * @throws SlessError `NoSuchVersion`
 */
export function requireVersion(
  { spec, status }: FunctionObject,
  key: string,
  runtimes: RuntimeCatalogue,
): void {
  const history = status?.history ?? [];
  const version = history.find((known) => known.key === key);
  if (version === undefined) {
    const known = history.map((entry) => entry.key).join(', ') || 'none yet';
    throw new SlessError('NoSuchVersion', `there is no version ${JSON.stringify(key)}; there are: ${known}`);
  }
  const runtime = runtimes.get(spec.runtime);
  if (runtime !== undefined && isForRuntime(version, runtime.image)) return;
  throw new SlessError(
    'NoSuchVersion',
    `the version ${JSON.stringify(key)} was built for ${nameOf(version.runtimeImage, runtimes)}, and runtime is ${spec.runtime} now: set runtime back with it`,
  );
}

function nameOf(runtimeImage: string, runtimes: RuntimeCatalogue): string {
  const built = [...runtimes.values()].find(({ image }) => isForRuntime({ runtimeImage }, image));
  return built?.name ?? runtimeImage;
}
