import { execFileSync } from 'node:child_process';

// The last step of `npm run verify`: what was generated or formatted on the way must have been committed already.
const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).trimEnd();
if (changed !== '') {
  console.error(
    `the tree is not clean; commit these, or have them generated and formatted first:\n${changed}`,
  );
  process.exit(1);
}
