import type { ContainerRef, LogLine } from '../../ports/pod-logs.ts';

/** A line and who wrote it. */
export interface WrittenLine extends LogLine {
  readonly by: ContainerRef;
  /** How often the container had been started anew then. */
  readonly restarts: number;
}

/** What a line takes of memory, about. */
export const sizeOf = ({ text }: LogLine): number => text.length + 100;
