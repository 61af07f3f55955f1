import type { InstallStep, Runtime } from './catalogue.ts';

/** What is looked at of a function's root. */
export interface RootFiles {
  has(name: string): boolean;
  /** The text of a file that is there, or `undefined` for one larger than `MAX_ASKING_BYTES`. */
  read(name: string): string | undefined;
}

/** Longer than any list of dependencies that people write. */
export const MAX_ASKING_BYTES = 1_048_576;

type Installing = Pick<Runtime, 'install' | 'asking'>;

/** The step that installs what the code asks for, or `undefined` when it asks for nothing. */
export function installStep({ install, asking = {} }: Installing, root: RootFiles): InstallStep | undefined {
  return install.find(
    ({ files }) =>
      files.every((name) => root.has(name)) && files.every((name) => asks(asking[name], root, name)),
  );
}

type Asking = NonNullable<Runtime['asking']>[string];

/** What cannot be understood asks: the installer says what is wrong with it. */
function asks(rule: Asking | undefined, root: RootFiles, name: string): boolean {
  const text = rule === undefined ? undefined : root.read(name)?.replace(/^\uFEFF/, '');
  if (rule === undefined || text === undefined) return true;
  if (rule.line !== undefined && !new RegExp(rule.line, 'm').test(text)) return false;
  return rule.members === undefined || holdsAny(text, rule.members);
}

function holdsAny(text: string, members: readonly string[]): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return !isObject(value) || members.some((path) => holds(value, path.split('.')));
  } catch {
    return true;
  }
}

function holds(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
  return isObject(value) && Object.hasOwn(value, step) && holds(value[step], rest);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
