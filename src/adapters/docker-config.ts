import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { RegistryCredentials } from './oci-registry-request.ts';

const entrySchema = z.object({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
});
const configSchema = z.object({ auths: z.record(z.string(), entrySchema).default({}) });

/** Docker Hub goes by another name in these files. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  'docker.io': ['https://index.docker.io/v1/', 'index.docker.io', 'registry-1.docker.io'],
};

/**
 * The login for a registry in a file of docker's (`config.json`, the content of a dockerconfigjson Secret), read anew
 * each time. Keys may be hosts or URLs.
 *
 * @throws Error naming the file when it cannot be read or is no such file; never with its content.
 */
export async function dockerLogin(path: string, host: string): Promise<RegistryCredentials | undefined> {
  const auths = configSchema.parse(parseJson(await readFile(path, 'utf8'), path)).auths;
  const names = new Set([host, ...(ALIASES[host] ?? [])]);
  const entry = Object.entries(auths).find(
    ([name]) => names.has(name) || names.has(name.replace(/^https?:\/\//, '').replace(/\/.*$/, '')),
  )?.[1];
  if (entry === undefined) return undefined;
  if (entry.username !== undefined && entry.password !== undefined)
    return { username: entry.username, password: entry.password };
  const [, username, password] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(entry.auth ?? '', 'base64').toString()) ?? [];
  return username === undefined || password === undefined ? undefined : { username, password };
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is no JSON`); // the parser's own words would show a piece of it
  }
}
