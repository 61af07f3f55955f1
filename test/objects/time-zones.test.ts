import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { isTimeZone } from '../../src/resources/trigger/time-zone.ts';
import { TIME_ZONE_NAMES } from '../../src/resources/trigger/time-zone-names.ts';
import { findBinary } from '../contracts/binary.ts';

const go = findBinary('go', 'GO');
if (go === undefined)
  console.warn('SKIPPED, NO GO: the names of zones are not compared with its copy of the database');

/** What Kubernetes reads zones from: the copy of the database that Go puts into its programs. */
function namesOfGo(): string[] {
  const root = execFileSync(go ?? '', ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
  const zip = unzipSync(readFileSync(join(root, 'lib/time/zoneinfo.zip')));
  return Object.keys(zip).filter((name) => !name.endsWith('/'));
}

test.skipIf(go === undefined)(
  'every zone of Kubernetes is one here, and every one of the list is one there',
  () => {
    const names = namesOfGo();
    expect(names.filter((name) => !isTimeZone(name))).toEqual(['Factory']);
    expect([...TIME_ZONE_NAMES].filter((name) => !names.includes(name))).toEqual([]);
  },
);

test('every name of the list is known to the database of this process, and in no other spelling', () => {
  for (const name of TIME_ZONE_NAMES) {
    expect(isTimeZone(name), name).toBe(true);
    for (const other of [name.toLowerCase(), name.toUpperCase()])
      if (!TIME_ZONE_NAMES.has(other)) expect(isTimeZone(other), other).toBe(false);
  }
});
