/** The fields that REST does not merely spell another way. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['functionRef', 'function'],
  ['eventJSON', 'event_json'],
  ['runID', 'run_id'],
]);

/** The REST name of a field of a spec: `timeoutSeconds` → `timeout_seconds`. */
export function snakeField(name: string): string {
  return RENAMED.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A message in which fields of the spec carry their REST names: `spec.timeoutSeconds: …` → `timeout_seconds: …`. */
export function snakePaths(message: string): string {
  return message.replace(/\bspec\.([A-Za-z][A-Za-z0-9]*)/g, (_, name: string) => snakeField(name));
}
