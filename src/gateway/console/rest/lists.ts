import type { FunctionAnswer } from '../../api/functions/answer.ts';
import type { TriggerAnswer } from '../../api/triggers/answer.ts';
import type { RestClient } from './client.ts';

/** A list's answer. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** The most that REST puts into a page. */
export const PAGE_LIMIT = 500;
/** A namespace's quota allows 400 triggers; nobody waits for more than this to see a page. */
const MAX_PAGES = 4;

/** A page of functions. */
export function readFunctions(
  rest: RestClient,
  namespace: string,
  cursor: string | undefined,
): Promise<Listed<FunctionAnswer>> {
  const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  return rest.read(`${namespace}/functions?limit=${PAGE_LIMIT}${from}`);
}

/** All triggers, those of one function where it is named. */
export async function readTriggers(
  rest: RestClient,
  namespace: string,
  of?: string,
): Promise<readonly TriggerAnswer[]> {
  const found: TriggerAnswer[] = [];
  let cursor = '';
  for (let i = 0; i < MAX_PAGES; i += 1) {
    const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { items, next }: Listed<TriggerAnswer> = await rest.read(
      `${namespace}/triggers?limit=${PAGE_LIMIT}${from}`,
    );
    found.push(...items.filter((trigger) => of === undefined || trigger.function === of));
    if (next === null) break;
    cursor = next;
  }
  return found;
}
