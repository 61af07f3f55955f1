import { SlessError } from '../errors.ts';
import type { Cluster, ClusterEvent } from '../ports/cluster.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import type { KubeObject } from '../resources/kube/object.ts';

interface Address {
  readonly namespace: string;
  readonly name: string;
}

interface Wanted<T> {
  /** The answer, once an object gives one. */
  readonly reached: (object: KubeObject) => T | undefined;
  readonly withinMs: number;
}

/** The Functions as a watch shows them. */
export interface Follower {
  /** @throws SlessError `NotFound` when the object goes, `Unavailable` when the time is over. */
  until<T>(address: Address, wanted: Wanted<T>): Promise<T>;
  close(): void;
}

type Look = (object: KubeObject | undefined) => void;

/** Follows all Functions by one watch, however many are waited for. */
export function followFunctions(cluster: Pick<Cluster, 'watch'>, namespace: string | undefined): Follower {
  const latest = new Map<string, KubeObject>();
  const waiting = new Map<string, Look>();
  const keyOf = ({ namespace: of = '', name }: { namespace?: string; name: string }): string =>
    `${of}/${name}`;
  const look = (key: string): void => waiting.get(key)?.(latest.get(key));
  const onEvent = (event: ClusterEvent): void => {
    if (event.type === 'lost') return;
    if (event.type === 'synced') {
      latest.clear();
      for (const object of event.objects) latest.set(keyOf(object.metadata), object);
      for (const key of waiting.keys()) look(key);
      return;
    }
    const key = keyOf(event.object.metadata);
    if (event.type === 'applied') latest.set(key, event.object);
    else latest.delete(key);
    look(key);
  };
  const watch = cluster.watch(
    { kind: KINDS.Function, ...(namespace === undefined ? {} : { namespace }) },
    onEvent,
  );
  return {
    until: (address, { reached, withinMs }) => {
      const key = keyOf(address);
      const { promise, resolve, reject } = Promise.withResolvers<NonNullable<ReturnType<typeof reached>>>();
      const late = setTimeout(
        () => reject(new SlessError('Unavailable', `no end of it within ${withinMs / 1000} s`)),
        withinMs,
      );
      let seen = false;
      waiting.set(key, (object) => {
        const answer = object && reached(object);
        seen ||= object !== undefined;
        if (answer !== undefined && answer !== null) resolve(answer);
        else if (object === undefined && seen) reject(new SlessError('NotFound', 'it was deleted meanwhile'));
      });
      look(key);
      return promise.finally(() => {
        clearTimeout(late);
        waiting.delete(key);
      });
    },
    close: () => watch.close(),
  };
}
