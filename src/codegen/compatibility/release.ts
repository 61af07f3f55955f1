import { copyFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** `npm run release-api`: from here on clients are held to be made for the document as it is now. */
const root = resolve(import.meta.dirname, '../../..');
copyFileSync(resolve(root, 'openapi.json'), resolve(root, 'openapi.released.json'));
