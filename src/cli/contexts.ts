import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { CliFailure, EXIT } from './failure.ts';
import type { World } from './world.ts';

const contextSchema = z.object({
  name: z.string().min(1),
  endpoint: z.url({ protocol: /^https?$/ }),
  token: z.string().min(1),
  namespace: z.string().optional(),
});
const fileSchema = z.object({ current: z.string().optional(), contexts: z.array(contextSchema).default([]) });

export type Context = z.infer<typeof contextSchema>;
type ContextFile = z.infer<typeof fileSchema>;

/** Where commands go, and as whom. */
export interface Target {
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly token: string;
  readonly namespace: string;
}

type Place = Pick<World, 'env' | 'home' | 'cwd'>;

/** `SLESS_CONFIG`, else `sless/config.yaml` in the user's folder for configuration. */
export function contextsPath({ env, home }: Pick<World, 'env' | 'home'>): string {
  return env.SLESS_CONFIG ?? join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'sless', 'config.yaml');
}

/** The contexts that were logged into; none where there is no file yet. */
export function readContexts(place: Pick<World, 'env' | 'home'>): ContextFile {
  const path = contextsPath(place);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { contexts: [] };
    throw new CliFailure(`${path} cannot be read: ${(error as Error).message}`, EXIT.usage, { cause: error });
  }
  const read = fileSchema.safeParse(yamlOf(text) ?? {});
  if (!read.success)
    throw new CliFailure(
      `${path} is no configuration of sless; move it away and \`sless login\` again`,
      EXIT.usage,
    );
  return read.data;
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return 'no YAML'; // the parser's own words would show a piece of a token
  }
}

/** Keeps a context under its name and makes it the current one. The file is this user's alone and there whole or not at all. */
export function keepContext(place: Pick<World, 'env' | 'home'>, context: Context): void {
  const { contexts } = readContexts(place);
  writeContexts(place, {
    current: context.name,
    contexts: [...contexts.filter(({ name }) => name !== context.name), context],
  });
}

/** @throws CliFailure when there is no context of that name */
export function useContext(place: Pick<World, 'env' | 'home'>, name: string): void {
  const file = readContexts(place);
  requireContext(file, name);
  writeContexts(place, { ...file, current: name });
}

/** Takes a context away, and its token with it. @throws CliFailure when there is no context of that name */
export function forgetContext(place: Pick<World, 'env' | 'home'>, name: string): void {
  const { current, contexts } = readContexts(place);
  requireContext({ contexts }, name);
  const left = contexts.filter((context) => context.name !== name);
  writeContexts(place, { ...(current === name ? {} : { current }), contexts: left });
}

function writeContexts(place: Pick<World, 'env' | 'home'>, file: ContextFile): void {
  const path = contextsPath(place);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, stringify(file), { mode: 0o600 });
  renameSync(next, path);
}

function requireContext({ contexts }: ContextFile, name: string): Context {
  const found = contexts.find((context) => context.name === name);
  if (found !== undefined) return found;
  const known = contexts.map((context) => context.name).join(', ') || 'none';
  throw new CliFailure(`there is no context ${JSON.stringify(name)} (known: ${known})`, EXIT.usage);
}

/**
 * Where a command goes: `--context`, else `SLESS_ENDPOINT` and `SLESS_API_TOKEN`, else the current context, else a local
 * platform whose `.sless/` lies in this folder.
 */
export function targetOf(
  place: Place,
  options: { context?: string | undefined; namespace?: string | undefined },
): Target {
  const { endpoint, token, namespace } = sourceOf(place, options.context);
  return {
    endpoint: checkedEndpoint(endpoint),
    token,
    namespace: options.namespace ?? place.env.SLESS_NAMESPACE ?? namespace ?? namespaceOfToken(token),
  };
}

function sourceOf(place: Place, name: string | undefined): Omit<Context, 'name'> {
  const file = readContexts(place);
  if (name !== undefined) return requireContext(file, name);
  const { SLESS_ENDPOINT: endpoint, SLESS_API_TOKEN: token } = place.env;
  if (endpoint !== undefined && token !== undefined) return { endpoint, token };
  if (file.current !== undefined) return requireContext(file, file.current);
  const local = localTarget(place);
  if (local !== undefined) return local;
  throw new CliFailure(
    'not logged in: `sless login URL`, or set SLESS_ENDPOINT and SLESS_API_TOKEN, or `npm start` a local platform in this folder',
    EXIT.unauthenticated,
  );
}

/** An address as it is kept, without a slash at its end. @throws CliFailure for one that leads to no platform */
export function checkedEndpoint(given: string): string {
  const url = URL.parse(given);
  const isPlain = url?.search === '' && url.hash === '' && url.username === '';
  if (url === null || !/^https?:$/.test(url.protocol) || !isPlain)
    throw new CliFailure(
      `${JSON.stringify(given)} is no endpoint; one is like https://sless.example.org`,
      EXIT.usage,
    );
  return url.href.replace(/\/+$/, '');
}

/** The local platform whose folder lies here, or in a folder around this one. */
function localTarget({ cwd, env }: Place): Omit<Context, 'name'> | undefined {
  const path = env.SLESS_DIR === undefined ? upward(cwd, '.sless/env') : resolve(cwd, env.SLESS_DIR, 'env');
  if (path === undefined || !existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
  const given = { name: 'local', endpoint: value('SLESS_ENDPOINT'), token: value('SLESS_API_TOKEN') };
  return contextSchema.safeParse(given).data;
}

function upward(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : upward(dirname(folder), name);
}

/** A subject's own namespace: `sless-` and the first 8 bytes of SHA-256(sub) in hex. */
export function namespaceOfToken(token: string): string {
  const subject = subjectOf(token);
  if (subject === undefined)
    throw new CliFailure(
      'the token is no JWT with a sub; say which namespace with --namespace',
      EXIT.unauthenticated,
    );
  return `sless-${createHash('sha256').update(subject).digest('hex').slice(0, 16)}`;
}

function subjectOf(token: string): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly sub?: unknown;
    };
    return typeof claims.sub === 'string' && claims.sub !== '' ? claims.sub : undefined;
  } catch {
    return undefined;
  }
}
