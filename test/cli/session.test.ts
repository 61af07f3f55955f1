import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installed, startInstalled } from './installed.ts';

/*
 * The session in docs/cli.md is carried out again, by the installed package on a platform of its own, and must come out as it
 * is written there. `RECORD=1 npx vitest run test/cli/session.test.ts` writes it anew.
 */

const PAGE = resolve(import.meta.dirname, '../../docs/cli.md');
const HEADING = '## A first function\n';
const INDENT = '    ';

let sless: Installed;
beforeAll(async () => {
  sless = await startInstalled();
}, 180_000);
afterAll(() => sless.close(), 60_000);

/** The block below the heading: where it begins in the page, and its lines. */
function written(): { readonly page: string; readonly block: string; readonly lines: readonly string[] } {
  const page = readFileSync(PAGE, 'utf8');
  const below = page.slice(page.indexOf(HEADING) + HEADING.length);
  const [block = ''] = /^(?: {4}.*\n)+/.exec(below) ?? [];
  return {
    page,
    block,
    lines: block
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(INDENT.length)),
  };
}

/** What a shell shows in which these commands are typed one after another. */
async function session(commands: readonly string[]): Promise<string[]> {
  const bin = join(sless.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'sless'), `#!/bin/sh\nexec "${process.execPath}" "${sless.program}" "$@"\n`);
  chmodSync(join(bin, 'sless'), 0o755);
  const typed = commands.map(
    (command) => `printf '\\n%s\\n' '$ ${command.replaceAll("'", `'\\''`)}'\n${command}`,
  );
  const shell = spawn('bash', ['-c', `exec 2>&1\n${typed.join('\n')}`], {
    cwd: sless.folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: sless.folder, SLESS_DIR: join(sless.folder, '.sless') },
  });
  const [shown, [code]] = await Promise.all([text(shell.stdout), once(shell, 'close')]);
  expect(code, shown).toBe(0);
  return shown
    .split('\n')
    .filter((line) => line !== '')
    .map(alike);
}

/** What is another one each time, as it is in the page. */
const alike = (line: string): string =>
  line
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080')
    .replace(
      /URL +MESSAGE/,
      `URL${' '.repeat('http://127.0.0.1:8080/fn/sless-25bf8e1a2393f110/greeter'.length)}MESSAGE`,
    )
    .replace(/greeter-b-[0-9a-f]{16}/, 'greeter-b-c171422609080c45')
    .replace(/on port \d+/, 'on port 30454');

/** What goes by too quickly to be seen each time. */
const isPassing = (line: string): boolean => /^(Pending|Building|Deploying): |^local\/sless\//.test(line);

test('the session in docs/cli.md comes out as it is written there: init, deploy, invoke, logs', async () => {
  const { page, block, lines } = written();
  const commands = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
  expect(commands.map((command) => /sless (\w+)/.exec(command)?.[1])).toEqual(
    expect.arrayContaining(['init', 'deploy', 'invoke', 'logs']),
  );
  const shown = await session(commands);
  if (process.env.RECORD) {
    const recorded = shown
      .filter((line) => !line.startsWith('local/sless/'))
      .map((line) => `${INDENT}${line}\n`);
    writeFileSync(
      PAGE,
      page.replace(block, () => recorded.join('')),
    );
  }
  expect(written().lines.filter((line) => !isPassing(line))).toEqual(
    shown.filter((line) => !isPassing(line)),
  );
}, 120_000);
