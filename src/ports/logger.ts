/** Structured log lines, in the shape that pino takes: fields first, then the sentence. Never a secret in either. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger that adds these fields to each of its lines. */
  child(fields: object): Logger;
}
