import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { shortHash } from '../../resources/kube/hash.ts';
import { removeImages } from './unused.ts';

const manifestSchema = z.object({ digest: z.string(), runtimeImage: z.string(), key: z.string() });

/** An image of local mode: a function's folder with its dependencies installed, and the runtime image it stands on. */
export interface LocalImage extends z.infer<typeof manifestSchema> {
  /** The code: what lies at `/app/function` in a real image. */
  readonly functionFolder: string;
}

/** A folder in which an image is being made: empty, with room for `function/`. */
export interface UnfinishedImage {
  /** Where the code belongs; whoever writes it makes the folder. */
  readonly functionFolder: string;
  /** Makes it the image of that digest, at once and for good; when there is one already, that one stays. */
  commit(manifest: { digest: string; runtimeImage: string; key: string }): Promise<void>;
  discard(): Promise<void>;
}

/** Images by digest, `<folder>/<hex>/`, and what they are called by tag. */
export interface Images {
  /** The image of `…@sha256:<hex>` or of a tag. */
  find(reference: string): Promise<LocalImage | undefined>;
  has(digest: string): Promise<boolean>;
  begin(): Promise<UnfinishedImage>;
  tag(reference: string, digest: string): Promise<void>;
  /** Keeps the image while something runs on it. */
  holdWhile(reference: string, ended: Promise<unknown>): void;
  /** Calls the listener whenever such a hold is over. */
  onRelease(listener: () => void): void;
  /**
   * Throws away every image that is not held and that none of these texts names, by digest or by tag; nothing at all
   * while something is built, where a build begins meanwhile, or where nobody knows what is used.
   */
  removeUnused(used: () => Promise<readonly string[] | undefined>): Promise<void>;
}

const UNFINISHED = '.tmp';

/** Opens the images in a folder that belongs to one process alone; what a crash left unfinished is thrown away. */
export async function openImages(folder: string): Promise<Images> {
  const tags = join(folder, 'tags');
  await mkdir(tags, { recursive: true });
  // Node.js looks upwards for a package.json, which would be that of the project whose folder this lies in. In a container
  // there is none above the function's own.
  await writeFile(join(folder, 'package.json'), '{}\n');
  const left = (await readdir(folder)).filter((name) => name.endsWith(UNFINISHED));
  await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  const held = new Map<Promise<unknown>, string>();
  const listeners: (() => void)[] = [];
  const builds = { begun: 0, running: 0 };
  return {
    find: async (reference) => {
      const digest = digestIn(reference) ?? (await readText(join(tags, shortHash(reference))));
      return digest === undefined ? undefined : load(join(folder, hexOf(digest)));
    },
    has: async (digest) => (await load(join(folder, hexOf(digest)))) !== undefined,
    begin: () => counted(builds, () => begin(folder)),
    holdWhile: (reference, ended) => {
      held.set(ended, reference);
      const release = (): void => {
        held.delete(ended);
        for (const listener of listeners) listener();
      };
      void ended.then(release, release);
    },
    onRelease: (listener) => void listeners.push(listener),
    removeUnused: async (used) => {
      const { begun } = builds;
      const texts = await used();
      if (texts === undefined) return;
      const isIdle = (): boolean => builds.running === 0 && builds.begun === begun;
      await removeImages({ folder, tags }, [...texts, ...held.values()], isIdle);
    },
    tag: async (reference, digest) => {
      const temporary = join(folder, `${randomUUID()}${UNFINISHED}`);
      await writeDurably(temporary, digest);
      await rename(temporary, join(tags, shortHash(reference)));
    },
  };
}

const digestIn = (reference: string): string | undefined => /@(sha256:[0-9a-f]{64})$/.exec(reference)?.[1];

const hexOf = (digest: string): string => digest.slice('sha256:'.length);

/** A build counts until it has thrown away what it left unfinished, which it does however it ends. */
async function counted(
  builds: { begun: number; running: number },
  start: () => Promise<UnfinishedImage>,
): Promise<UnfinishedImage> {
  builds.begun += 1;
  builds.running += 1;
  const over = once(() => {
    builds.running -= 1;
  });
  try {
    const unfinished = await start();
    return { ...unfinished, discard: () => unfinished.discard().finally(over) };
  } catch (error) {
    over();
    throw error;
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

async function load(folder: string): Promise<LocalImage | undefined> {
  const text = await readText(join(folder, 'image.json'));
  if (text === undefined) return undefined;
  return { ...manifestSchema.parse(JSON.parse(text)), functionFolder: join(folder, 'function') };
}

async function begin(folder: string): Promise<UnfinishedImage> {
  const temporary = join(folder, `${randomUUID()}${UNFINISHED}`);
  await mkdir(temporary);
  const discard = () => rm(temporary, { recursive: true, force: true });
  return {
    functionFolder: join(temporary, 'function'),
    discard,
    commit: async (manifest) => {
      await writeDurably(join(temporary, 'image.json'), JSON.stringify(manifest));
      try {
        await rename(temporary, join(folder, hexOf(manifest.digest)));
      } catch (error) {
        await discard();
        if (!isTaken(error)) throw error;
      }
    },
  };
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
