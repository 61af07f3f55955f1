import { scheduleMistake } from './schedule.ts';
import type { TriggerSpec } from './schema.ts';

/** A mistake of one field. */
export interface Nonsense {
  readonly field: keyof TriggerSpec;
  readonly message: string;
}

/** What neither CEL nor the schema can see: JSON that is none, and a schedule that runs backwards. */
export function nonsenseIn({ payload, schedule }: TriggerSpec): Nonsense[] {
  const backwards = schedule === undefined ? undefined : scheduleMistake(schedule);
  return [
    ...(backwards === undefined ? [] : [{ field: 'schedule' as const, message: backwards }]),
    ...(payload === undefined || isJson(payload)
      ? []
      : [{ field: 'payload' as const, message: 'must be JSON text' }]),
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
