/**
 * The form of a log's file: before each line that a container has written stands its time, as in the files of a kubelet.
 * Lines of ours begin with `#` and say where a run begins and ends.
 */
export const RUN_BEGINS = '# begin ';
export const RUN_ENDS = '# end ';

/** `2026-03-01T12:00:00.123456Z`. */
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}`;
const OWN = new RegExp(`^# (begin|end) ${TIME}Z$`);
const STAMP = new RegExp(`^(${TIME})Z `);

/** Times to the microsecond, each later than the one before: so that a time names one line. */
export function createStamps(now: () => number): () => string {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Math.floor(now() * 1000));
    const micros = String(last % 1_000_000).padStart(6, '0');
    return `${new Date(Math.floor(last / 1000)).toISOString().slice(0, 19)}.${micros}Z`;
  };
}

/** A line of a log's file. What has no time is the rest of a line that came in pieces. */
export type FileLine =
  | { readonly mark: 'begin' | 'end' }
  | { readonly mark?: undefined; readonly time?: string; readonly text: string };

export function parseFileLine(line: string): FileLine {
  const own = OWN.exec(line)?.[1];
  if (own !== undefined) return { mark: own === 'begin' ? 'begin' : 'end' };
  const [stamp = '', time = ''] = STAMP.exec(line) ?? [];
  return stamp === '' ? { text: line } : { time: `${time}000Z`, text: line.slice(stamp.length) };
}
