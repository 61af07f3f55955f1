/** Variables by name, as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables whose names match. */
export function pick(environment: Environment, names: RegExp): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && names.test(entry[0]),
    ),
  );
}
