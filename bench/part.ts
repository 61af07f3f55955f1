/** One figure: how many times cheaper (or faster) ours is than what it is compared with. */
export interface Measure {
  /** Such as `small_post`; printed behind the part's name. */
  readonly name: string;
  /** One ratio a round, rounds interleaved with those of the peer. */
  readonly ratios: readonly number[];
  /** What it is compared with. */
  readonly of: string;
  /** The ratio below which the run fails; 0 for what is only shown. */
  readonly floor?: number;
  /** More figures for a reader, such as `cpu_us=27`, on a line of their own. */
  readonly notes?: Readonly<Record<string, string | number>>;
}

export interface PartOptions {
  /** Fewer and shorter rounds, for a check rather than a figure. */
  readonly quick: boolean;
  /** Says what is left out and why. */
  say(line: string): void;
}

/** A part of the benchmark. A new one is a file and a line in `run.ts`. */
export type Part = (options: PartOptions) => AsyncIterable<Measure>;

/** The middle one; of an even number the mean of both. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return sorted.length % 2 === 1 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2;
}

/** The line for a measure, one with its notes where it has some, and whether it keeps its floor. */
export function linesOf(part: string, measure: Measure): { lines: string[]; ok: boolean } {
  const ratio = median(measure.ratios);
  const spread = (Math.max(...measure.ratios) - Math.min(...measure.ratios)) / ratio;
  const floor = measure.floor ?? 0;
  const ok = Number.isFinite(ratio) && ratio >= floor;
  const name = `${part}.${measure.name}`;
  const words = [
    `bench ${name}`,
    `ratio=${ratio.toFixed(2)}`,
    `of=${measure.of}`,
    `floor=${floor.toFixed(2)}`,
    `spread=${Math.round(spread * 100)}%`,
    ok ? 'ok' : 'MISS',
  ];
  const notes = Object.entries(measure.notes ?? {}).map(([key, value]) => `${key}=${value}`);
  return { lines: [words.join(' '), ...(notes.length === 0 ? [] : [`# ${name} ${notes.join(' ')}`])], ok };
}
