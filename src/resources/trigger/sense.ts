import { jsonTextMistake } from '../kube/text.ts';
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
  const noJson = payload === undefined ? undefined : jsonTextMistake(payload);
  return [
    ...(backwards === undefined ? [] : [{ field: 'schedule' as const, message: backwards }]),
    ...(noJson === undefined ? [] : [{ field: 'payload' as const, message: noJson }]),
  ];
}
