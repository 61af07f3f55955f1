import { type IncomingFile, isReadable, type ReviewedFile } from './readable.ts';
import { brokenRule, installScripts } from './rules.ts';

/** Beyond this much text of all files together a model is not asked: 100 KB. */
export const MAX_TEXT_BYTES = 100 * 1024;
/** Longer than any package.json that people write. Beyond it nobody would see what npm runs. */
const MAX_PACKAGE_BYTES = 1024 * 1024;
/** What stands around a file in a question, beside its name. */
const FRAME_BYTES = 100;
/** How much of a file is matched at a time, with so much of what came before it. */
const PIECE = 64 * 1024;
const OVERLAP = 2048;

/** What was found while the files were read once. */
export type Reading =
  /** A fixed rule is broken, in words that name the file and the rule. */
  { readonly broken: string } | { readonly files: readonly ReviewedFile[] } | { readonly tooLarge: true };

/**
 * Reads every readable file once, whatever its size and with little memory: the fixed rules see all of it, and the texts
 * are kept as long as a model could be asked about them.
 */
export async function readFiles(incoming: AsyncIterable<IncomingFile>): Promise<Reading> {
  const files: ReviewedFile[] = [];
  let left = MAX_TEXT_BYTES;
  // Names are text too: thousands of empty files make a question that no model takes.
  let leftForNames = MAX_TEXT_BYTES;
  for await (const { name, content } of incoming) {
    if (/^(?:(?!.*node_modules\/).*\/)?binding\.gyp$/.test(name))
      return { broken: `${name} makes npm build by itself when it installs (rule install-script)` };
    if (!isReadable(name)) continue;
    const isPackage = /(?:^|\/)package\.json$/.test(name);
    const { broken, kept, size } = await readFile(content, isPackage ? MAX_PACKAGE_BYTES : Math.max(0, left));
    if (broken !== undefined) return { broken: `${name} ${broken}` };
    if (isPackage && size > MAX_PACKAGE_BYTES)
      return { broken: `${name} is larger than ${MAX_PACKAGE_BYTES} bytes (rule install-script)` };
    const scripts = isPackage ? installScripts(kept.toString()) : [];
    if (scripts.length > 0)
      return {
        broken: `${name} has the script ${scripts[0]}, which npm would run by itself (rule install-script)`,
      };
    left -= size;
    leftForNames -= Buffer.byteLength(name) + FRAME_BYTES;
    if (left >= 0 && leftForNames >= 0) files.push({ name, content: kept.toString() });
  }
  return left < 0 || leftForNames < 0 ? { tooLarge: true } : { files };
}

interface ReadFile {
  readonly broken: string | undefined;
  /** The beginning, up to the limit. */
  readonly kept: Buffer;
  readonly size: number;
}

async function readFile(content: AsyncIterable<Uint8Array>, limit: number): Promise<ReadFile> {
  const kept: Uint8Array[] = [];
  let size = 0;
  let pending = '';
  let fresh = 0;
  const check = (): string | undefined => {
    const rule = brokenRule(pending);
    pending = pending.slice(-OVERLAP);
    fresh = 0;
    return rule && `${rule.what} (rule ${rule.name})`;
  };
  for await (const chunk of content) {
    if (size <= limit) kept.push(chunk.slice(0, limit - size));
    size += chunk.byteLength;
    // The rules speak ASCII: bytes are enough, and no character is cut in two.
    pending += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    fresh += chunk.byteLength;
    const broken = fresh >= PIECE ? check() : undefined;
    if (broken !== undefined) return { broken, kept: Buffer.alloc(0), size };
  }
  return { broken: check(), kept: Buffer.concat(kept), size };
}
