import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { type Manager, managersOf } from '../../contracts/recorded/normal-form.ts';

/**
 * What one cluster has called things, in the order in which it did: the same history gets the same numbers on any cluster, whatever
 * its uids, versions and addresses are.
 */
export interface Ledger {
  /** `uid-1`, `version-3`, `address-2`: the number of that value among its like. */
  readonly number: (sort: Sort, value: string) => string;
  /** The number of a uid that was met before; any other text as it is. */
  readonly known: (text: string) => string;
}

type Sort = 'uid' | 'version' | 'address';

export function createLedger(): Ledger {
  const books = { uid: new Map<string, string>(), version: new Map<string, string>(), address: new Map() };
  return {
    number: (sort, value) => {
      const book: Map<string, string> = books[sort];
      const number = book.get(value) ?? `${sort}-${book.size + 1}`;
      book.set(value, number);
      return number;
    },
    known: (text) => books.uid.get(text) ?? text,
  };
}

/**
 * Deployments are looked after by a controller that no test can ask to wait: it writes their status, and so their version, when it
 * likes. Of everything else nobody but the test writes anything.
 */
export const isLookedAfter = ({ kind }: Pick<KubeObject, 'kind'>): boolean => kind === 'Deployment';

/** The object as both clusters should tell it: see `Ledger`; times are left out, and so is what a controller writes. */
export function normalForm(object: KubeObject, ledger: Ledger): unknown {
  ledger.number('uid', object.metadata.uid ?? '');
  const { status: _, ...rest } = object;
  return walk(isLookedAfter(object) ? rest : object, '', { ledger, versions: !isLookedAfter(object) });
}

interface Walk {
  readonly ledger: Ledger;
  /** Whether versions are compared. */
  readonly versions: boolean;
}

const TIMES = new Set(['creationTimestamp', 'deletionTimestamp', 'time']);

function walk(value: unknown, key: string, how: Walk): unknown {
  if (typeof value === 'string') return text(value, key, how);
  if (key === 'managedFields') return managers(value as Manager[], how);
  if (Array.isArray(value) && value.length === 0 && EMPTY_AS_NULL.has(key)) return null;
  if (Array.isArray(value))
    return value.map((item) => walk(item, key === 'clusterIPs' ? 'clusterIP' : '', how));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, walk(member, name, how)]),
  );
}

/** What a write that changed nothing answers of an EndpointSlice is what it was sent, not what is kept: null. */
const EMPTY_AS_NULL = new Set(['endpoints', 'ports']);

function text(value: string, key: string, { ledger, versions }: Walk): string {
  if (TIMES.has(key)) return '*';
  if (key === 'resourceVersion') return versions ? ledger.number('version', value) : '*';
  if (key === 'clusterIP' && value !== 'None') return ledger.number('address', value);
  return ledger.known(value);
}

/** Where a controller writes the status, its line is left out. */
function managers(lines: readonly Manager[], { ledger, versions }: Walk): string[] {
  const own = lines.filter(({ subresource }) => versions || subresource === undefined);
  return managersOf(own).map((line) => line.replace(UID, ledger.known));
}

const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
