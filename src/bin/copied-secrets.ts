import type { Config } from '../config/config.ts';
import type { CopiedSecret } from '../secret-copies/secret-copies.ts';

const LOGIN = 'kubernetes.io/dockerconfigjson';

/** The Secrets that each tenant's namespace gets from the system's: whatever its builds and pods name. */
export function copiedSecrets({
  pushSecret,
  pullSecret,
  buildMode,
  buildS3Secret,
}: Config): readonly CopiedSecret[] {
  const logins = [...new Set([pushSecret, pullSecret].filter((name) => name !== undefined))].sort();
  const isOther = buildMode === 'direct' && buildS3Secret !== undefined && !logins.includes(buildS3Secret);
  return [...logins.map((name) => ({ name, type: LOGIN })), ...(isOther ? [{ name: buildS3Secret }] : [])];
}
