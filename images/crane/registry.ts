import { run } from './command.ts';
import type { ImageConfig } from './dockerfile.ts';

/** A registry, spoken to through the crane on the PATH. */
export interface Registry {
  /** `host:port`, maybe with a path. */
  readonly host: string;
  /**
   * The name under which an image of a Dockerfile lies in it: Docker Hub's short names are spelt out, and where the image's own name
   * begins with another registry, the path after it counts. A registry that was filled by hand may hold `node:24-alpine` where
   * a Dockerfile says `node:24.1.0-alpine`.
   */
  locate(image: string): Promise<string>;
  /** `sha256:...`, or `undefined` when it is not there. */
  digest(image: string): Promise<string | undefined>;
  /** A label of an image; `undefined` when it, or the image, is not there. */
  label(image: string, name: string): Promise<string | undefined>;
  /** Unpacks all layers of an image into a folder, owners and modes included. */
  unpack(image: string, folder: string): Promise<void>;
  /** Puts one layer on a base and pushes the result. */
  push(image: string, layer: PushedLayer): Promise<void>;
}

export interface PushedLayer {
  readonly base: string;
  /** A tar file. */
  readonly tar: string;
  readonly config: ImageConfig;
  readonly labels: Readonly<Record<string, string>>;
}

interface RegistryOptions {
  readonly host: string;
  readonly insecure: boolean;
}

export function openRegistry({ host, insecure }: RegistryOptions): Registry {
  const crane = (...args: string[]): Promise<string> =>
    run(['crane', ...args, ...(insecure ? ['--insecure'] : [])]);
  const absent = (): undefined => undefined;
  const digest: Registry['digest'] = (image) => crane('digest', image).catch(absent);
  return {
    host,
    locate: async (image) => {
      const names = shorterVersions(image).map((name) => `${host}/${mirroredPath(name)}`);
      for (const name of names) if ((await digest(name)) !== undefined) return name;
      throw new Error(`the base image ${names[0]} is not there`);
    },
    digest,
    label: async (image, name) => {
      const config = await crane('config', image).catch(absent);
      return config === undefined ? undefined : labelOf(config, name);
    },
    unpack: async (image, folder) => {
      const flags = insecure ? '--insecure' : '';
      // A pipe, since a base image is a hundred megabytes and more; the words are arguments and no script.
      const pipe = 'set -o pipefail; crane export $1 "$2" - | tar -x --numeric-owner -p -C "$3"';
      await run(['bash', '-c', pipe, 'unpack', flags, image, folder]);
    },
    push: async (image, { base, tar, config, labels }) => {
      await crane('append', '-b', base, '-f', tar, '-t', image);
      await crane('mutate', image, '-t', image, ...configArgs(config), ...labelArgs(labels));
    },
  };
}

/** An image by the version that it is asked for, then by that without its last parts. */
export function shorterVersions(image: string): readonly string[] {
  const [, before = '', version = '', after = ''] = /^(.*:)(\d+(?:\.\d+)+)(-[^/:@]*)?$/.exec(image) ?? [];
  const parts = version.split('.');
  const shorter = parts.slice(0, -1).map((_, index) => parts.slice(0, parts.length - 1 - index).join('.'));
  return [image, ...(before === '' ? [] : shorter.map((short) => `${before}${short}${after}`))];
}

/** Where a base image is looked for in another registry. A first segment with a dot or a colon is a registry, by the rule of all tools. */
export function mirroredPath(image: string): string {
  const [first = '', ...rest] = image.split('/');
  if (rest.length === 0) return `library/${image}`;
  return /[.:]/.test(first) ? rest.join('/') : image;
}

function labelOf(config: string, name: string): string | undefined {
  const { config: own } = JSON.parse(config) as { config?: { Labels?: Record<string, string> } };
  return own?.Labels?.[name];
}

function configArgs({ env, workdir, user, entrypoint, cmd, ports }: ImageConfig): string[] {
  return [
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...ports.flatMap((port) => ['--exposed-ports', port.includes('/') ? port : `${port}/tcp`]),
    ...['--workdir', workdir],
    ...(user === undefined ? [] : ['--user', user]),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint.join(',')]),
    ...(cmd === undefined ? [] : ['--cmd', cmd.join(',')]),
  ];
}

function labelArgs(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
}
