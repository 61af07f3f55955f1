/** A variable of a container, in the shape of the API. An absent value is the empty text. */
export interface EnvVar {
  readonly name: string;
  readonly value?: string;
}

/**
 * Kubernetes expands `$(NAME)` in values and reads `$$` as `$`. With every `$` doubled, a value arrives as it was written.
 */
export function escapeEnvValue(value: string): string {
  return value.replaceAll('$', '$$$$');
}

/** The value that a process sees for one that was escaped. Values of other origin may hold `$(NAME)`, which stays. */
export function unescapeEnvValue(value: string): string {
  return value.replaceAll('$$', '$');
}

const byName = (a: EnvVar, b: EnvVar): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Variables in the order of their names, escaped. The API server drops an empty value, so none is written. */
export function envVars(env: Readonly<Record<string, string>>): EnvVar[] {
  return Object.entries(env)
    .map(([name, value]) => (value === '' ? { name } : { name, value: escapeEnvValue(value) }))
    .sort(byName);
}

/** The way back of `envVars`. */
export function readEnvVars(vars: readonly EnvVar[]): Record<string, string> {
  return Object.fromEntries(vars.map(({ name, value }) => [name, unescapeEnvValue(value ?? '')]));
}
