import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** An image as `docker save` writes it, of these entries; `layers` is what its manifest names, or the manifest itself. */
export async function imageTar(
  entries: readonly (readonly [string, Buffer | string])[],
  layers: readonly string[] | string = entries.map(([name]) => name),
): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of entries) tar.entry({ name }, content);
  const manifest = typeof layers === 'string' ? layers : JSON.stringify([{ Config: 'c', Layers: layers }]);
  tar.entry({ name: 'manifest.json' }, manifest);
  tar.finalize();
  return buffer(tar);
}
