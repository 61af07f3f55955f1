import { readFile } from 'node:fs/promises';
import { parseAllDocuments, stringify } from 'yaml';
import type { Clock } from '../../ports/clock.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { readIfThere } from '../file.ts';
import type { LocalFolder } from '../folder.ts';
import { ADMIN_AUDIENCE, openTokens, TOKEN_SECONDS } from '../identity/tokens.ts';
import { lockHolder } from '../lock.ts';
import { allKinds, fullName, kindOfWord } from './kinds.ts';
import { ADMIN_PATH } from './path.ts';
import { tableOf } from './table.ts';

/** A command that cannot be carried out, in words for who gave it: a line for each mistake. */
export class CommandFailed extends Error {}

/** The commands of local mode, for the sless that runs in a folder. */
export interface LocalCommands {
  /** Applies every object of a YAML or JSON file; `-` reads standard input. One line an object. */
  apply(file: string, print: (line: string) => void): Promise<void>;
  /** Deletes every object that the file names, the last one first. */
  remove(file: string, print: (line: string) => void): Promise<void>;
  /** One object, or all of a kind, in one of `OUTPUTS`. */
  get(what: GetRequest): Promise<string>;
}

/** How `get` can show what it found. */
export const OUTPUTS = ['table', 'wide', 'name', 'yaml', 'json'] as const;

interface GetRequest {
  /** A word for a kind, or with the name behind it: `fn/hello`. */
  readonly kind: string;
  readonly name: string | undefined;
  readonly output: (typeof OUTPUTS)[number];
}

interface LocalCommandsOptions {
  readonly folder: LocalFolder;
  /** Instead of the user's own, for objects that name none. */
  readonly namespace: string | undefined;
}

/** An administrator's token is good for one command. */
const ADMIN_SECONDS = 60;

/** The token of another tenant of this installation, whether it runs or not. */
export async function tokenFor(folder: LocalFolder, clock: Clock, subject: string): Promise<string> {
  if ((await readIfThere(folder.key)) === undefined) {
    throw new CommandFailed(`there is no sless in ${folder.root} yet: start it once with npm start`);
  }
  return (await openTokens(folder.key, clock)).mint(subject, { seconds: TOKEN_SECONDS });
}

/** @throws CommandFailed when no sless runs in the folder */
export async function localCommands(clock: Clock, options: LocalCommandsOptions): Promise<LocalCommands> {
  const { folder } = options;
  if ((await lockHolder(folder.lock)) === undefined) {
    throw new CommandFailed(`no sless is running in ${folder.root}: start it with npm start`);
  }
  const endpoint = /^SLESS_ENDPOINT=(.+)$/m.exec((await readIfThere(folder.env)) ?? '')?.[1] ?? '';
  const namespace = options.namespace ?? (await readIfThere(folder.namespace)) ?? '';
  const tokens = await openTokens(folder.key, clock);
  const token = await tokens.mint('local', { seconds: ADMIN_SECONDS, audience: ADMIN_AUDIENCE });
  const ask = createAsk(endpoint, token);
  return {
    apply: async (file, print) => {
      await eachOf(await readObjects(file, namespace), async (object) => {
        const { applied, how } = await ask('POST', '', object);
        print(`${applied} ${how}`);
      });
    },
    remove: async (file, print) => {
      await eachOf((await readObjects(file, namespace)).reverse(), async ({ kind, metadata }) => {
        const { deleted } = await ask('DELETE', pathOf(kind, metadata.name, metadata.namespace));
        print(`${deleted} deleted`);
      });
    },
    get: async ({ kind: word, name: apart, output }) => {
      const [kind = '', name = apart] = word.split('/');
      const answer = await ask('GET', pathOf(kind, name, namespace));
      if (output === 'yaml' || output === 'json')
        return textOf(answer, { single: name !== undefined, output });
      // Our own route: one object, or a list of them.
      const objects = (name === undefined ? answer.items : [answer]) as readonly KubeObject[];
      if (output === 'name') return objects.map((one) => `${fullName(one, one.metadata.name)}\n`).join('');
      const known = kindOfWord(kind);
      if (objects.length === 0)
        return `no ${known?.plural ?? kind}${known?.namespaced ? ` in ${namespace}` : ''}\n`;
      return tableOf(objects, { kind: known?.kind ?? kind, wide: output === 'wide', now: clock.now() });
    },
  };
}

function textOf(
  answer: Answer,
  { single, output }: { readonly single: boolean; readonly output: 'yaml' | 'json' },
): string {
  const shown = single ? answer : { apiVersion: 'v1', kind: 'List', ...answer };
  return output === 'json' ? `${JSON.stringify(shown, null, 2)}\n` : stringify(shown);
}

const pathOf = (kind: string, name: string | undefined, namespace = ''): string =>
  `/${[kind, ...(name === undefined ? [] : [name])].map(encodeURIComponent).join('/')}?namespace=${encodeURIComponent(namespace)}`;

type Answer = Readonly<Record<string, unknown>>;

function createAsk(
  endpoint: string,
  token: string,
): (method: string, path: string, body?: object) => Promise<Answer> {
  return async (method, path, body) => {
    const response = await fetch(`${endpoint}${ADMIN_PATH}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer; // our own routes answer with objects
    if (!response.ok) throw new CommandFailed(String(answer.error));
    return answer;
  };
}

interface NamedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Does it with every one, however many of them fail; then fails with what is wrong with each. */
async function eachOf<T>(all: readonly T[], work: (one: T) => unknown): Promise<void> {
  const mistakes: string[] = [];
  for (const one of all) {
    try {
      await work(one);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      mistakes.push(error.message);
    }
  }
  if (mistakes.length > 0) throw new CommandFailed(mistakes.join('\n'));
}

/** The objects of a file in their order, or everything that is wrong with any; those without a namespace get this one where their kind has any. */
async function readObjects(file: string, namespace: string): Promise<NamedObject[]> {
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((cause: unknown) => {
    throw new CommandFailed(`${file} cannot be read`, { cause });
  });
  const objects: NamedObject[] = [];
  await eachOf(parseAllDocuments(text), (document) => {
    if (document.errors[0] !== undefined) throw new CommandFailed(`${file}: ${document.errors[0].message}`);
    const value: unknown = document.toJS();
    if (value !== null && value !== undefined) objects.push(namedObject(file, value, namespace));
  });
  return objects;
}

function namedObject(file: string, value: unknown, namespace: string): NamedObject {
  const object = value as Partial<NamedObject>;
  const kind = typeof object.kind === 'string' ? kindOfWord(object.kind) : undefined;
  if (kind === undefined) {
    const said = JSON.stringify(object.kind) ?? 'none';
    throw new CommandFailed(`${file}: every object needs a kind; ${said} is none of ${allKinds()}`);
  }
  if (typeof object.metadata?.name !== 'string') {
    throw new CommandFailed(`${file}: a ${kind.kind} in it has no metadata.name`);
  }
  const metadata = kind.namespaced ? { namespace, ...object.metadata } : object.metadata;
  return { ...object, kind: kind.kind, metadata };
}
