import { SlessError } from '../../errors.ts';

/** Up to where one container was read. */
export interface Mark {
  /** Of its last line that was read. */
  readonly time: string;
  /** How often it had been started anew then. */
  readonly restarts: number;
}

/** Up to where containers were read, by `keyOf`. One that is not in it has been silent until then. */
export type Position = ReadonlyMap<string, Mark>;

const PART = /^([a-z0-9.-]{1,253}\/[a-z0-9-]{1,63})@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z)@(\d{1,9})$/;

/** As the id of an event: short, printable, without a comma of its own. */
export function formatPosition(position: Position): string {
  return [...position].map(([key, { time, restarts }]) => `${key}@${time}@${restarts}`).join(',');
}

/** @throws SlessError `InvalidRequest` for what `formatPosition` has not written. */
export function parsePosition(text: string): Position {
  const parts = text.split(',').map((part) => {
    const [, key, time, restarts] = PART.exec(part) ?? [];
    if (key === undefined || time === undefined)
      throw new SlessError('InvalidRequest', 'Last-Event-ID: must be the id of an event of this stream');
    return [key, { time, restarts: Number(restarts) }] as const;
  });
  return new Map(parts);
}
