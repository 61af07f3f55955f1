import { SlessError } from '../../../errors.ts';
import type { FunctionObject, HistoryEntry } from '../../../resources/function/schema.ts';
import { isForRuntime } from '../../../resources/function/version.ts';
import type { RuntimeCatalogue } from '../../../runtimes/catalogue.ts';

/**
 * A rollback builds nothing, so it needs a good build of that key, and one for the runtime that the function has now: on another
 * runtime's image the same code would be another build. Of several it is the one that has taken calls.
 *
 * @throws SlessError `NoSuchVersion`
 */
export function requireVersion(
  { spec, status }: FunctionObject,
  key: string,
  runtimes: RuntimeCatalogue,
): HistoryEntry {
  const history = status?.history ?? [];
  const builds = history.filter((known) => known.key === key);
  const [newest] = builds;
  if (newest === undefined) {
    const known = [...new Set(history.map((entry) => entry.key))].join(', ') || 'none yet';
    throw new SlessError('NoSuchVersion', `there is no version ${JSON.stringify(key)}; there are: ${known}`);
  }
  const runtime = runtimes.get(spec.runtime);
  const takable = builds.filter((build) => runtime !== undefined && isForRuntime(build, runtime.image));
  const version = takable.find(({ served }) => served === true) ?? takable[0];
  if (version !== undefined) return version;
  throw new SlessError(
    'NoSuchVersion',
    `the version ${JSON.stringify(key)} was built for ${nameOf(newest.runtimeImage, runtimes)}, and runtime is ${spec.runtime} now: set runtime back with it`,
  );
}

function nameOf(runtimeImage: string, runtimes: RuntimeCatalogue): string {
  const built = [...runtimes.values()].find(({ image }) => isForRuntime({ runtimeImage }, image));
  return built?.name ?? runtimeImage;
}
