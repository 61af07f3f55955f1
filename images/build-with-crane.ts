import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildImage, type ImageOrder } from './crane/image.ts';
import { openRegistry } from './crane/registry.ts';

const HOME = resolve(import.meta.dirname, '..');

/** Every image of this repository: sless itself, and one a runtime. */
export function imageOrders(home = HOME): ImageOrder[] {
  const { version } = readJson(join(home, 'package.json'));
  const sless = {
    dockerfile: join(home, 'images/sless/Dockerfile'),
    context: home,
    image: `sless:v${version}`,
  };
  const runtimes = readdirSync(join(home, 'runtimes'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(home, 'runtimes', name))
    .map((folder) => {
      const manifest = readJson(join(folder, 'runtime.json'));
      const image = `${manifest.image}:${manifest.version}`;
      return { dockerfile: join(folder, 'Dockerfile'), context: folder, image };
    });
  return [sless, ...runtimes];
}

function readJson(file: string): Record<string, string> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}

const USAGE = `usage: node images/build-with-crane.ts --registry HOST[:PORT] [--insecure] [PART-OF-A-NAME...]

Builds the images of this repository from their Dockerfiles without Docker, onto base images that lie in the same registry,
and pushes them there. Needs crane on the PATH and root.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { registry: { type: 'string' }, insecure: { type: 'boolean', default: false } },
  });
  if (values.registry === undefined) {
    process.stderr.write(USAGE);
    process.exitCode = 64;
    return;
  }
  const registry = openRegistry({ host: values.registry, insecure: values.insecure });
  const wanted = imageOrders().filter(
    ({ image }) => positionals.length === 0 || positionals.some((part) => image.includes(part)),
  );
  for (const order of wanted) process.stdout.write(`${order.image} ${await buildImage(registry, order)}\n`);
}

if (import.meta.main) await main();
