import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { describeApi } from '../gateway/api/describe.ts';
import type { GeneratedFile } from './generator.ts';

const manifest = z.object({ version: z.string() });

/** `openapi.json`, what `/v1/openapi.json` answers in this version. */
export function openApiFile(): readonly GeneratedFile[] {
  const file = resolve(import.meta.dirname, '../../package.json');
  const { version } = manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  return [{ path: 'openapi.json', content: describeApi(version) }];
}
