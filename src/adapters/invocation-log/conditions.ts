import type { InvocationQuery } from '../../ports/invocation-log.ts';
import { type Position, readCursor } from './cursor.ts';

/** One thing that a row must fulfil: SQL in which `?` stands for each value, in order. */
interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** How a database writes the moment of a record, from milliseconds since 1970 as `?`. */
interface Dialect {
  readonly moment: string;
}

/** The conditions of a query and of where its page begins. Both databases compare rows as a whole. */
export function conditionsOf(
  query: InvocationQuery,
  { moment, cursor }: Dialect & { readonly cursor: string | undefined },
): readonly Condition[] {
  const equal = (column: string, value: string | number | undefined): Condition[] =>
    value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }];
  const after: Position | undefined = cursor === undefined ? undefined : readCursor(cursor);
  return [
    ...equal('namespace', query.namespace),
    ...equal('function', query.function),
    ...equal('trigger', query.trigger),
    ...equal('trigger_name', query.triggerName),
    ...equal('outcome', query.outcome),
    ...equal('status', query.status),
    ...equal('request_id', query.requestId),
    ...(query.since === undefined ? [] : [{ sql: `started_at >= ${moment}`, values: [query.since] }]),
    ...(query.until === undefined ? [] : [{ sql: `started_at < ${moment}`, values: [query.until] }]),
    ...(after === undefined
      ? []
      : [{ sql: `(started_at, id) < (${moment}, ?)`, values: [after.startedAt, after.id] }]),
  ];
}
