import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Generator } from './generator.ts';
import { openApiFile } from './openapi.ts';

const PROVIDER = resolve(import.meta.dirname, '../../terraform/provider');
const CLIENT = 'internal/api/api.gen.go';
const CONFIG = 'internal/api/config.yaml';
/** What the provider's own schema takes its descriptions, bounds and defaults from. */
const READ_SCHEMAS = ['FunctionCreate', 'TriggerCreate', 'JobCreate'];

/**
 * The Terraform provider's client and what it knows of fields, both from the OpenAPI document. The client is made by a Go
 * program, and only when what it is made of has changed: whoever changes nothing of the API needs no Go.
 *
 * @throws Error where the client has to be made again and there is no Go
 */
export const terraformClientFiles: Generator = () => {
  const document = openApiFile().find(({ path }) => path === 'openapi.json')?.content ?? '{}';
  return [
    { path: `terraform/provider/${CLIENT}`, content: clientOf(document) },
    { path: 'terraform/provider/internal/api/schemas.json', content: readSchemas(document) },
  ];
};

function readSchemas(document: string): string {
  const { components } = JSON.parse(document) as { components: { schemas: Record<string, unknown> } };
  const read = Object.fromEntries(READ_SCHEMAS.map((name) => [name, components.schemas[name]]));
  return `${JSON.stringify(read, null, 2)}\n`;
}

/**
 * The client for a document: the one in the tree where it is made of that very document.
 *
 * @param generate runs the generator
 */
export function clientOf(document: string, generate: (document: string) => string = generated): string {
  const mark = `// Made of ${fingerprint(document)}.\n\n`;
  const current = readFileSync(join(PROVIDER, CLIENT), 'utf8');
  return current.startsWith(mark) ? current : mark + generate(document);
}

/** Of all that the client is made of: the document, how it is to be read, and the version of the generator. */
function fingerprint(document: string): string {
  const hash = createHash('sha256').update(document);
  for (const name of [CONFIG, 'tools/go.mod']) hash.update(readFileSync(join(PROVIDER, name)));
  return `openapi.json, ${CONFIG} and tools/go.mod, sha256 ${hash.digest('hex')}`;
}

function generated(document: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sless-openapi-'));
  try {
    const spec = join(folder, 'openapi.json');
    writeFileSync(spec, document);
    const words = ['tool', '-modfile=tools/go.mod', 'oapi-codegen', '-config', CONFIG, spec];
    return execFileSync('go', words, { cwd: PROVIDER, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  } catch (cause) {
    throw new Error(
      `terraform/provider/${CLIENT} has to be made again, since openapi.json or ${CONFIG} changed, and that needs Go 1.26`,
      { cause },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
