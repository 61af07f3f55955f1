import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Asset, createAsset, readPackaged, versionOf } from '../../assets/asset.ts';

export interface DocsFiles {
  readonly page: Asset;
  /** Name of the folder of all others. It is another one when any of them changes. */
  readonly folder: string;
  readonly others: ReadonlyMap<string, Asset>;
}

/** Everything that the page is made of, some 2.5 MB. @param document the OpenAPI document as JSON text */
export function readDocsFiles(document: string): DocsFiles {
  const others = new Map(
    Object.entries({
      'openapi.json': Buffer.from(document),
      'page.js': readFileSync(join(import.meta.dirname, 'page.js')),
      'swagger-ui-bundle.js': readPackaged('swagger-ui-dist', 'swagger-ui-bundle.js'),
      'swagger-ui.css': readPackaged('swagger-ui-dist', 'swagger-ui.css'),
    }).map(([name, bytes]) => [name, createAsset(name, bytes)]),
  );
  const folder = versionOf(others.values());
  const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8');
  // Relative to the page, so that it works behind a prefix too.
  const text = page.replaceAll('{assets}', `docs/${folder}`);
  return { page: createAsset('page.html', Buffer.from(text)), folder, others };
}
