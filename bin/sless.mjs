#!/usr/bin/env node
// Plain JavaScript that any Node can read: an older one is told in words what it lacks, and not by a syntax error.
import { existsSync } from 'node:fs';

const NEEDED = 24;
const [major] = process.versions.node.split('.');
if (Number(major) < NEEDED) {
  process.stderr.write(
    `sless: needs Node ${NEEDED} or later (this is ${process.versions.node}); see https://nodejs.org, or begin the command with \`npx -p node@${NEEDED} node\` and the path of sless\n`,
  );
  process.exit(78);
}
// The package carries stripped JavaScript: Node strips no types below node_modules. A checkout runs as it is.
const packed = new URL('../dist/bin/sless.js', import.meta.url);
await import(existsSync(packed) ? packed.href : new URL('../src/bin/sless.ts', import.meta.url).href);
