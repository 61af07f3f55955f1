import type { ErrorCode } from '../../errors.ts';

/** Why something is not done: a word of the error table, and the same for a person. */
export interface Refusal {
  readonly reason: ErrorCode;
  readonly message: string;
}

/** A rule gives a refusal, or nothing. */
export type RefusalRule<Input> = (input: Input) => Refusal | undefined;

/** The first refusal in the order of the rules. */
export function firstRefusal<Input>(rules: readonly RefusalRule<Input>[], input: Input): Refusal | undefined {
  for (const rule of rules) {
    const refusal = rule(input);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
