import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { zipOf } from '../api/zips.ts';

/** A wheel with one module, as pip installs it. */
export function wheelOf(name: string, code: string): Uint8Array {
  const info = `${name}-1.0.dist-info`;
  return zipOf({
    [`${name}.py`]: code,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: `${name}.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  });
}

/** A package of npm with one module, as `npm pack` makes it. */
export async function npmPackageOf(name: string, code: string): Promise<Uint8Array> {
  const tar = pack();
  tar.entry({ name: 'package/package.json' }, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
  tar.entry({ name: 'package/index.js' }, code);
  tar.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of tar) pieces.push(piece as Buffer);
  return gzipSync(Buffer.concat(pieces));
}
