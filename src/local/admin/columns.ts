import { definitionOf, type PrinterColumn } from '../../resources/definitions.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { readyOf, restartsOf, stateOf } from './pod-columns.ts';

/** A column of `get`: its head, where its value lies, and whether that is a time that is shown as an age. */
type PathColumn = Pick<PrinterColumn, 'name' | 'jsonPath' | 'type' | 'priority'>;

/** One whose words lie nowhere as they are shown. */
interface WordColumn {
  readonly name: string;
  readonly word: (object: KubeObject) => string;
  readonly priority?: number;
}

export type Column = PathColumn | WordColumn;

const age: Column = { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' };
const text = (name: string, jsonPath: string): Column => ({ name, jsonPath, type: 'string' });

/** What kubectl has columns of its own for. Of all others it shows name and age. */
const BUILT_IN: Readonly<Record<string, readonly Column[]>> = {
  Namespace: [text('Status', '.status.phase'), age],
  Secret: [text('Type', '.type'), age],
  Pod: [
    { name: 'Ready', word: readyOf },
    { name: 'Status', word: stateOf },
    { name: 'Restarts', word: restartsOf },
    age,
  ],
  Deployment: [
    text('Wanted', '.spec.replicas'),
    text('Up-to-date', '.status.updatedReplicas'),
    text('Available', '.status.availableReplicas'),
    age,
  ],
};

/** The columns behind the name: those of the CustomResourceDefinition, for the three kinds that are ours. */
export function columnsOf(kind: string, wide: boolean): readonly Column[] {
  const columns = definitionOf(kind)?.columns ?? BUILT_IN[kind] ?? [age];
  return columns.filter(({ priority = 0 }) => wide || priority === 0);
}

const STEP = /\.(\w+)|\[\?\(@\.(\w+)=="([^"]*)"\)\]/y;

/**
 * The value at a path as columns write it, `.status.conditions[?(@.type=="Ready")].status`: members, and the first item of
 * a list that has a member of that value.
 *
 * @throws Error on a path in any other form
 */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const from = STEP.lastIndex;
    const step = STEP.exec(path);
    if (step === null) throw new Error(`the path of a column cannot be read from ${path.slice(from)}`);
    const [, member, key = '', wanted] = step;
    if (member !== undefined) value = memberOf(value, member);
    else value = Array.isArray(value) ? value.find((item) => memberOf(item, key) === wanted) : undefined;
  }
  return value;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
