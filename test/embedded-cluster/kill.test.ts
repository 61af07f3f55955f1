import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmbeddedCluster, type EmbeddedCluster } from '../../src/adapters/embedded-cluster/cluster.ts';
import { createSqliteStore } from '../../src/adapters/embedded-cluster/sqlite-store.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { silentLogger } from '../contracts/silent-logger.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, 'state', 'cluster.db');
const open = () =>
  createEmbeddedCluster({ store: createSqliteStore(file()), clock: Date, logger: silentLogger });

/** What was acknowledged before the process was killed: the last word on each name. */
async function writeAndKill(round: number, lines: number): Promise<Map<string, string>> {
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts'), file(), String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const words = new Map<string, string>();
  let seen = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    const [verb = '', name = '', count = ''] = line.split(' ');
    words.set(name, `${verb} ${count}`.trim());
    seen += 1;
    if (seen === lines) writer.kill('SIGKILL');
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
  expect(writer.signalCode).toBe('SIGKILL');
  return words;
}

async function check(cluster: EmbeddedCluster, words: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, word] of words) {
    const object = await cluster.get({ kind: KINDS.ConfigMap, namespace: 'default', name });
    if (word === 'deleted') expect(object).toBeUndefined();
    else if (word === 'made') continue;
    // The write after the last acknowledged one may have been made, too: a deletion.
    else if (object) expect(object.data).toMatchObject({ count: word.split(' ')[1] });
    else expect(Number(word.split(' ')[1]) % 3).toBe(0);
  }
}

test('whatever was acknowledged before kill -9 is there afterwards, round after round', {
  timeout: 60_000,
}, async () => {
  const all = new Map<string, string>();
  let version = 0;
  for (const [round, lines] of [1, 40, 333, 1_001].entries()) {
    const words = await writeAndKill(round, lines);
    for (const [name, word] of words) all.set(name, word);
    const cluster = open();
    await check(cluster, all);
    const made = await cluster.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `after-${round}`, namespace: 'default' },
    });
    expect(Number(made.metadata.resourceVersion)).toBeGreaterThan(version);
    version = Number(made.metadata.resourceVersion);
    cluster.close();
  }
});

test('a log whose end was torn off opens without it', { timeout: 60_000 }, async () => {
  await writeAndKill(0, 200);
  const log = `${file()}-wal`;
  truncateSync(log, statSync(log).size - 1_500);
  const cluster = open();
  const { items } = await cluster.list({ kind: KINDS.ConfigMap, namespace: 'default' });
  expect(items.length).toBeGreaterThan(0);
  await cluster.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'more', namespace: 'default' },
  });
  cluster.close();
  const again = open();
  expect(await again.get({ kind: KINDS.ConfigMap, namespace: 'default', name: 'more' })).toBeDefined();
  again.close();
});
