import { describe, expect, test } from 'vitest';
import { findKind, SLESS_API_VERSION } from '../../../src/resources/kube/kinds.ts';
import type { Row } from '../../objects/row.ts';
import { ROWS } from '../../objects/rows.ts';
import { clusterEnvironment } from '../environment.ts';
import { createPlayer, type Outcome } from './play.ts';
import type { Json, Step } from './step.ts';
import { usePair } from './use-pair.ts';

const environment = clusterEnvironment();

const bodyOf = (spec: unknown): Json => (spec === undefined ? {} : { spec });

/** A row as requests: a create, or an update of what was created. A patch takes away what the new spec does not say. */
function stepsOf({ name, spec, previous }: Row): Step[] {
  if (previous === undefined) return [{ do: 'create', name, body: bodyOf(spec) }];
  const gone = Object.keys(previous as object).filter((field) => !Object.hasOwn(spec as object, field));
  const removed = Object.fromEntries(gone.map((field) => [field, null]));
  return [
    { do: 'create', name, body: bodyOf(previous) },
    { do: 'patch', name, body: { spec: { ...removed, ...(spec as object) } } },
  ];
}

describe.skipIf(environment === undefined)('of every object in the table both clusters say the same', () => {
  const pair = usePair(environment);
  // Names are what some rows are about; the others get one each.
  const rows = ROWS.map((row, index) => (row.name === 'hello' ? { ...row, name: `row-${index}` } : row));

  test.concurrent.each(rows.map((row) => [`${row.kind}: ${row.title}`, row] as const))(
    '%s',
    async (_, row) => {
      const kind = findKind(SLESS_API_VERSION, row.kind);
      if (kind === undefined) throw new Error(`no kind ${row.kind}`);
      const { namespace, sides } = pair();
      const [embedded, real] = await Promise.all(
        sides.map(async ({ cluster }) => {
          const player = createPlayer(cluster, { kind, namespace, prefix: '' });
          const outcomes: Outcome[] = [];
          for (const step of stepsOf(row)) outcomes.push(await player.take(step));
          return outcomes;
        }),
      );
      expect(embedded).toEqual(real);
      expect(real?.at(-1)).toEqual(
        row.wrong === undefined ? { object: expect.anything() } : { refused: 'Invalid' },
      );
    },
  );
});
