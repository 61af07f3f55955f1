/** The roles of the one program, by the word that starts them. */
export const ROLES = [
  'operator',
  'api',
  'proxy',
  'dispatcher',
  'fetch',
  'base',
  'push',
  'gc',
  'rebuild',
  'certificate',
  'preflight',
  'local',
] as const;
export type Role = (typeof ROLES)[number];

/** One environment variable: what it is called, who reads it, what it means, how its text becomes a value. */
export interface Setting<T> {
  readonly name: string;
  readonly roles: readonly Role[];
  /** For the table of settings: one sentence or two, for who installs sless. */
  readonly meaning: string;
  /** Taken as the text where the variable is absent or empty. Without it the value is `undefined`. */
  readonly default?: string;
  /** Of the roles in it, the default in place of that one. */
  readonly roleDefaults?: Partial<Readonly<Record<Role, string>>>;
  /** For the table, where the default is worked out from something else. */
  readonly defaultNote?: string;
  /** The roles that do not start without it. */
  readonly required?: readonly Role[];
  /** A secret's value never appears in a message. */
  readonly secret?: true;
  /** @throws Error saying what would be right, without repeating the text. */
  readonly parse: (text: string) => T;
}

/** A setting that always has a value, since it has a default. */
export interface DefaultedSetting<T> extends Setting<T> {
  readonly default: string;
}

/** Keeps the value's type, and whether it may be absent. */
export function setting<T>(definition: DefaultedSetting<T>): DefaultedSetting<T>;
export function setting<T>(definition: Setting<T>): Setting<T>;
export function setting<T>(definition: Setting<T>): Setting<T> {
  return Object.freeze(definition);
}
