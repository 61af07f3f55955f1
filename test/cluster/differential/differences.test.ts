import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clusterEnvironment } from '../environment.ts';
import { adrLine, DIFFERENCES } from './differences.ts';
import { createPlayer, type Outcome } from './play.ts';
import { usePair } from './use-pair.ts';

const environment = clusterEnvironment();
/** Where each of them stands with its reason. */
const ADR = readFileSync(`${import.meta.dirname}/../../../docs/adr/0009-embedded-mode.md`, 'utf8');

/** What a difference is about, in the answer to its last step. */
function seen(outcome: Outcome | undefined, look: string | undefined): unknown {
  if (outcome === undefined || !('object' in outcome))
    return outcome && 'refused' in outcome && outcome.refused;
  if (look === undefined) return 'stored';
  const steps = look.split('.');
  return steps.reduce<unknown>(
    (value, step) => (value as Record<string, unknown> | undefined)?.[step],
    outcome.object,
  );
}

describe.skipIf(environment === undefined)('what differs on purpose', () => {
  const pair = usePair(environment);

  test.each(DIFFERENCES.map((row, index) => [row.title, row, index] as const))(
    '%s',
    async (_, row, index) => {
      const { namespace, sides } = pair();
      const [embedded, real] = await Promise.all(
        sides.map(async ({ cluster }) => {
          const player = createPlayer(cluster, { kind: row.kind, namespace, prefix: `d${index}-` });
          let last: Outcome | undefined;
          for (const step of row.steps) last = await player.take(step);
          return seen(last, row.look);
        }),
      );
      expect({ real, embedded }).toEqual({ real: row.real, embedded: row.embedded });
    },
  );
});

test('the ADR lists each of them, and no other', () => {
  const lines = ADR.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| What'));
  expect(lines).toEqual(DIFFERENCES.map(adrLine));
});
