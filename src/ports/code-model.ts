/** A language model that reads code. */
export interface CodeModel {
  /** Its name, as it is kept beside what it said. */
  readonly name: string;
  /**
   * What it answers, as it comes.
   *
   * @throws SlessError `Unavailable` when it is away, slow, refuses, or answers what is no answer
   */
  ask(prompt: string): Promise<string>;
}
