import type { Config } from '../config/config.ts';

/** The Secrets that each tenant's namespace gets from the system's: whatever its builds and pods name. */
export function copiedSecrets({
  pushSecret,
  pullSecret,
  buildMode,
  buildS3Secret,
}: Config): readonly string[] {
  const names = [pushSecret, pullSecret, buildMode === 'direct' ? buildS3Secret : undefined];
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
