/** What has come of small bodies that are not whole yet. Their calls have no place, so their memory needs a bound. */
export interface Arrivals {
  /** Whether so many bytes more may be kept for that caller; then `free` must follow. */
  hold(caller: string, bytes: number): boolean;
  free(caller: string, bytes: number): void;
}

/** As much as a thousand bodies of the largest size; more comes within their time only from many who fall silent. */
const TOTAL_BYTES = 64 * 1024 * 1024;
/** Of one caller: eight must come together to use all of it. */
const CALLER_BYTES = TOTAL_BYTES / 8;

export function createArrivals(total = TOTAL_BYTES, perCaller = CALLER_BYTES): Arrivals {
  const held = new Map<string, number>();
  let all = 0;
  return {
    hold(caller, bytes) {
      const own = (held.get(caller) ?? 0) + bytes;
      if (own > perCaller || all + bytes > total) return false;
      held.set(caller, own);
      all += bytes;
      return true;
    },
    free(caller, bytes) {
      all -= bytes;
      const left = (held.get(caller) ?? bytes) - bytes;
      if (left === 0) held.delete(caller);
      else held.set(caller, left);
    },
  };
}
