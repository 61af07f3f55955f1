import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { OnCall } from './hook-tap.ts';

/** A request of a hook, as `test/hooks/fixtures` keeps it. */
export interface RecordedCall {
  readonly path: string;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  /** The whole body. */
  readonly request: unknown;
}

interface Observed {
  readonly metadata: {
    readonly name: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
  };
}
interface Body {
  readonly parent?: Observed;
  readonly object?: Observed;
  readonly children?: Readonly<Record<string, Readonly<Record<string, Observed>>>>;
  readonly related?: Readonly<Record<string, object>>;
}

/** What says where a request came from: addresses, ports, and where the test itself listened. */
const ADDRESSES: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, 'http://sless-operator.example.com'],
  [/http:\/\/\d+\.\d+\.\d+\.\d+:\d+/g, 'http://sless-api.example.com'],
  [/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, '192.0.2.1'],
];

/** Keeps the first request of every situation in a folder, one file each, without addresses of this machine. */
export function recordHooks(folder: string, driver: string): OnCall {
  mkdirSync(folder, { recursive: true });
  const known = new Set<string>();
  return ({ path, body }, answer) => {
    const request = JSON.parse(body);
    const rest = isAtRest(request, JSON.parse(answer)) ? '.at-rest' : '';
    const name = `${driver}.${path.slice(1).replaceAll('/', '-')}.${situationOf(request)}${rest}`;
    if (known.has(name)) return;
    known.add(name);
    const clean = ADDRESSES.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), body);
    const recorded: RecordedCall = { path, at: Date.now(), request: JSON.parse(clean) };
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(recorded)}\n`);
  };
}

/** A few words for what a request is about: two with the same words are alike. */
function situationOf({ parent, object, children = {}, related = {} }: Body): string {
  const { metadata, status } = parent ?? object ?? { metadata: { name: '' } };
  const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
  const counts = Object.entries({ ...children, ...related })
    .map(([kind, objects]) => [kind.replace(/\..*/, ''), Object.keys(objects).length] as const)
    .filter(([kind, count]) => count > 0 && kind !== 'Namespace')
    .map(([kind, count]) => `${kind}${count > 1 ? count : ''}`);
  const words = [status?.phase, reason === status?.phase ? undefined : reason, ...counts.sort()];
  const isGoing = metadata.deletionTimestamp !== undefined;
  const known = [...words, isGoing ? 'deleting' : undefined].filter((word) => word !== undefined);
  return known.length === 0 ? 'new' : known.join('-').toLowerCase();
}

interface Answer {
  readonly status?: object;
  readonly children?: readonly Observed[];
  readonly resyncAfterSeconds?: number;
}

/** Whether a sync says what is there already: the same status, the same children by their names, and nothing to wait for. */
function isAtRest({ parent, children = {} }: Body, answer: Answer): boolean {
  if (parent === undefined || answer.status === undefined || answer.resyncAfterSeconds !== undefined)
    return false;
  const observed = Object.values(children).flatMap((group) => Object.values(group));
  const names = (objects: readonly Observed[]) => objects.map(({ metadata }) => metadata.name).sort();
  const { generation: observedGeneration } = parent.metadata;
  return (
    isDeepStrictEqual({ ...answer.status, observedGeneration }, parent.status) &&
    isDeepStrictEqual(names(observed), names(answer.children ?? []))
  );
}
