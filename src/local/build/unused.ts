import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { shortHash } from '../../resources/kube/hash.ts';

interface Places {
  readonly folder: string;
  readonly tags: string;
}

const DIGEST = /sha256:([0-9a-f]{64})/g;

/** Removes the images that none of the texts names, while `isIdle`, and the tags that lead nowhere then. */
export async function removeImages(
  { folder, tags }: Places,
  texts: readonly string[],
  isIdle: () => boolean,
): Promise<void> {
  const tagged = await digestsByTag(tags);
  const used = new Set<string>();
  for (const text of texts) {
    for (const [, hex = ''] of text.matchAll(DIGEST)) used.add(hex);
    const byTag = tagged.get(shortHash(text));
    if (byTag !== undefined) used.add(byTag);
  }
  const images = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const left = new Set(images);
  for (const hex of images.filter((image) => !used.has(image))) {
    if (!isIdle()) return;
    // In the same moment as the look: a build that begins afterwards finds none, or all of it.
    const aside = join(folder, `${randomUUID()}.tmp`);
    renameSync(join(folder, hex), aside);
    left.delete(hex);
    await rm(aside, { recursive: true, force: true });
  }
  for (const [tag, hex] of tagged) if (isIdle() && !left.has(hex)) await rm(join(tags, tag), { force: true });
}

/** What each tag leads to, by the name of its file. */
async function digestsByTag(tags: string): Promise<Map<string, string>> {
  const read = async (name: string) =>
    [name, (await readFile(join(tags, name), 'utf8')).replace(/^sha256:/, '')] as const;
  return new Map(await Promise.all((await readdir(tags)).map(read)));
}
