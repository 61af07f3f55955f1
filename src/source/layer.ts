import { Readable } from 'node:stream';
import { type ContextFile, FUNCTION_FOLDER, readContext } from './context-reader.ts';
import { TAR_END_BYTES, tarFileHeader, tarFolderHeader, tarPadding } from './tar-header.ts';

/** Where the code lies in an image, without the leading slash: paths in a layer are relative to its root. */
const IMAGE_FOLDER = 'app/function/';

/**
 * The image layer that a context's code makes, as a tar: `app/function/` with every folder before its files, owned by
 * root, dates fixed. The same code makes the same bytes. The stream fails as `readContext` does.
 */
export function layerFromContext(context: Readable): Readable {
  const layer = Readable.from(layerBytes(readContext(context)), { objectMode: false });
  // Also when nobody ever read from it, and the generator has not begun.
  layer.once('close', () => context.destroy());
  return layer;
}

async function* layerBytes(files: AsyncIterable<ContextFile>): AsyncGenerator<Buffer> {
  const folders = new Set<string>();
  yield tarFolderHeader(IMAGE_FOLDER);
  for await (const { path, size, executable, content } of files) {
    if (!path.startsWith(FUNCTION_FOLDER)) continue;
    const name = `${IMAGE_FOLDER}${path.slice(FUNCTION_FOLDER.length)}`;
    for (const folder of missingFolders(name, folders)) yield tarFolderHeader(folder);
    yield tarFileHeader({ path: name, size, executable });
    yield* content;
    yield Buffer.alloc(tarPadding(size));
  }
  yield Buffer.alloc(TAR_END_BYTES);
}

/** From the outermost in, so that each has its mode before something is put into it. */
function missingFolders(name: string, known: Set<string>): string[] {
  const missing: string[] = [];
  let folder = name.slice(0, name.lastIndexOf('/') + 1);
  while (folder.length > IMAGE_FOLDER.length && !known.has(folder)) {
    known.add(folder);
    missing.unshift(folder);
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  }
  return missing;
}
