import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseDockerfile, type Stage } from './dockerfile.ts';
import { type Ignore, readIgnore } from './ignore.ts';
import type { Registry } from './registry.ts';
import { carryOut, needsBase, packChanges, takeInventory } from './root.ts';

/** What to build and where it goes. */
export interface ImageOrder {
  readonly dockerfile: string;
  /** The folder that COPY reads from. */
  readonly context: string;
  /** Repository and tag below the registry's host. */
  readonly image: string;
  readonly args?: Readonly<Record<string, string>>;
}

/** Says of what an image was made, so that the same is not made again. */
const SOURCE_LABEL = 'dev.sless.source';

/**
 * Builds the image of a Dockerfile without Docker: its base is unpacked, its steps are carried out there, what they changed
 * becomes one layer. Needs crane on the PATH and root (chroot, owners of files). An image that is there already, made
 * of the same files, is left as it is.
 *
 * @returns the image's name in the registry, by digest.
 */
export async function buildImage(registry: Registry, order: ImageOrder): Promise<string> {
  const text = await readFile(order.dockerfile, 'utf8');
  const stages = parseDockerfile(text, order.args);
  const ignore = readIgnore(order.dockerfile, order.context);
  const image = `${registry.host}/${order.image}`;
  const source = await fingerprint({ registry, stages, text, ignore, context: order.context });
  if ((await registry.label(image, SOURCE_LABEL)) !== source) {
    const folder = await mkdtemp(join(tmpdir(), 'sless-image-'));
    try {
      await buildStages({ registry, stages, ignore, context: order.context }, folder, (layer) =>
        registry.push(image, { ...layer, labels: { [SOURCE_LABEL]: source } }),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return `${image.replace(/:[^:/]+$/, '')}@${await registry.digest(image)}`;
}

interface Build {
  readonly registry: Registry;
  readonly stages: readonly Stage[];
  readonly ignore: Ignore;
  readonly context: string;
}

type LastLayer = Omit<Parameters<Registry['push']>[1], 'labels'>;

async function buildStages(
  { registry, stages, ignore, context }: Build,
  folder: string,
  push: (layer: LastLayer) => Promise<void>,
): Promise<void> {
  const roots = new Map<string, string>();
  for (const [index, stage] of stages.entries()) {
    const root = join(folder, `root-${index}`);
    mkdirSync(root);
    const base = await registry.locate(stage.from);
    if (stage.steps.some(needsBase) || isCopiedFrom(stage, stages)) await registry.unpack(base, root);
    const before = takeInventory(root);
    for (const step of stage.steps) await carryOut(step, root, { context, ignore, stages: roots });
    if (stage.name !== undefined) roots.set(stage.name, root);
    if (index < stages.length - 1) continue;
    const tar = join(folder, 'layer.tar');
    await packChanges(root, before, tar);
    await push({ base, tar, config: stage.config });
  }
}

/** Whether another stage takes files from it: that may be its base's own. */
const isCopiedFrom = ({ name }: Stage, stages: readonly Stage[]): boolean =>
  name !== undefined &&
  stages.some(({ steps }) => steps.some((step) => step.type === 'copy' && step.from === name));

/** A hash of all that an image is made of: Dockerfile, bases, and the files that it copies. */
async function fingerprint(build: Build & { readonly text: string }): Promise<string> {
  const { registry, stages, text, ignore, context } = build;
  const hash = createHash('sha256').update(text);
  for (const { from, steps } of stages) {
    hash.update((await registry.digest(await registry.locate(from))) ?? '');
    const paths = steps.flatMap((step) =>
      step.type === 'copy' && step.from === undefined ? step.sources : [],
    );
    for (const path of paths) hashFiles(join(context, path), (file) => ignore(relative(context, file)), hash);
  }
  return hash.digest('hex');
}

function hashFiles(
  path: string,
  ignored: (path: string) => boolean,
  hash: ReturnType<typeof createHash>,
): void {
  if (ignored(path)) return;
  const stat = lstatSync(path);
  hash.update(`${path}\0${stat.mode}\0`);
  if (stat.isDirectory())
    for (const name of readdirSync(path).sort()) hashFiles(join(path, name), ignored, hash);
  else if (stat.isFile()) hash.update(readFileSync(path));
}
