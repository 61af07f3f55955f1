import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { SlessError } from '../errors.ts';
import { readContext } from '../source/context-reader.ts';
import { BASE_ARGUMENT, DOCKERFILE } from '../source/dockerfile.ts';
import { persistently, type RegistryDeps } from './push-image.ts';

export interface BaseOptions {
  /** The image that the build stands on. */
  readonly image: string;
  /** As kaniko wants it for a cache of base images: the file `<digest>` in it is the image. */
  readonly folder: string;
  /** The build context, whose Dockerfile says where the base goes. */
  readonly contextFile: string;
  /** Such as `linux/amd64`: an image may be there for several. */
  readonly platform: string;
  readonly insecure: boolean;
}

/**
 * Brings the base image into a build's pod, for a registry that gives it to nobody without a login: the step that builds has none. A copy of the
 * context's Dockerfile names the base by digest, since by that kaniko asks no registry.
 *
 * @returns the base by digest
 * @throws SlessError `exitCodeOf` says what it means for the build
 */
export async function bringBase(deps: RegistryDeps, options: BaseOptions): Promise<string> {
  const { image, folder, platform } = options;
  const flags = options.insecure ? ['--insecure'] : [];
  const crane = (...args: string[]) => persistently(deps, [...args, ...flags]);
  const digest = (await crane('digest', `--platform=${platform}`, image)).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new SlessError('RegistryUnavailable', `the registry names no digest of ${image}`);
  const base = `${image.replace(/@.*$/, '').replace(/:[^:/]+$/, '')}@${digest}`;
  await mkdir(folder, { recursive: true });
  await crane('pull', '--format=tarball', base, join(folder, digest));
  await writeFile(join(folder, DOCKERFILE), withBase(await dockerfileOf(options.contextFile), base));
  return base;
}

async function dockerfileOf(contextFile: string): Promise<string> {
  for await (const { path, content } of readContext(createReadStream(contextFile)))
    if (path === DOCKERFILE) return text(Readable.from(content));
  throw new SlessError('InvalidArchive', 'the stored build context has no Dockerfile');
}

/** The argument's own line, with a value. */
function withBase(dockerfile: string, base: string): string {
  return dockerfile.replace(new RegExp(`^ARG ${BASE_ARGUMENT}.*$`, 'm'), `ARG ${BASE_ARGUMENT}=${base}`);
}
