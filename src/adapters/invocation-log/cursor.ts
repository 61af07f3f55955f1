import { z } from 'zod';
import { SlessError } from '../../errors.ts';
import type { Invocation } from '../../ports/invocation-log.ts';

/** Where a page ended: the last record's place in the order. */
export type Position = Pick<Invocation, 'startedAt' | 'id'>;

const positionSchema = z.tuple([z.int().min(0).max(8.64e15), z.uuid()]);

export function writeCursor({ startedAt, id }: Position): string {
  return Buffer.from(JSON.stringify([startedAt, id])).toString('base64url');
}

/** @throws SlessError `InvalidRequest` for a text that `writeCursor` did not write. */
export function readCursor(text: string): Position {
  try {
    const [startedAt, id] = positionSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { startedAt, id };
  } catch (cause) {
    throw new SlessError('InvalidRequest', 'cursor: is none that a list of invocations gave', { cause });
  }
}

/** A page of so many out of one more than that. */
export function pageOf<T extends Position>(
  found: readonly T[],
  limit: number,
): { items: readonly T[]; next?: string } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last !== undefined ? { items, next: writeCursor(last) } : { items };
}
