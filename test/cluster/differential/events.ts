import type { ClusterEvent, ControllerCluster, Query } from '../../../src/ports/cluster.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { record } from '../../contracts/cluster/subject.ts';
import { waitFor } from '../wait-for.ts';
import { isLookedAfter, type Ledger, normalForm } from './normal-form.ts';
import { refuseStrangers } from './play.ts';

/** What a watch is told of the objects of one sequence after another. */
export interface EventLog {
  /** Waits until the watch has told everything there was before. */
  ready(): Promise<void>;
  /** Waits until it has told the end of each of these objects. */
  ended(uids: readonly string[]): Promise<void>;
  /** The changes of objects whose names begin so, one line each, in the order in which they were told. Waits for `least` of them. */
  told(prefix: string, ledger: Ledger, least?: number): Promise<string[]>;
  close(): void;
}

type Change = Extract<ClusterEvent, { readonly object: KubeObject }>;

export function logEvents(cluster: ControllerCluster, query: Query): EventLog {
  const { events, close } = record(cluster, query);
  const changes = (prefix: string): Change[] =>
    events
      .filter((event) => 'object' in event)
      .filter(({ object }) => object.metadata.name.startsWith(prefix));
  const ends = (): (string | undefined)[] =>
    events.flatMap((event) => (event.type === 'deleted' ? [event.object.metadata.uid] : []));
  return {
    close,
    ready: async () => {
      await waitFor({
        for: 'the first word of a watch',
        look: () => events.length,
        holds: (count) => count > 0,
      });
    },
    ended: async (uids) => {
      await waitFor({
        for: 'the end of every object in a watch',
        look: () => uids.filter((uid) => !ends().includes(uid)),
        holds: (open) => open.length === 0,
        intervalMs: 10,
      });
    },
    told: async (prefix, ledger, least = 0) => {
      const lines = await waitFor({
        for: `${least} changes in a watch`,
        look: () => linesOf(changes(prefix), ledger),
        holds: (told) => told.length >= least,
        intervalMs: 10,
      });
      for (const { object } of changes(prefix)) refuseStrangers(object);
      return lines;
    },
  };
}

/**
 * Where a controller writes too, its writes look like changes of nothing and are left out. When they come among the changes of another
 * object is its own affair, so such objects are told one after the other.
 */
function linesOf(changes: readonly Change[], ledger: Ledger): string[] {
  const lines = changes.map(({ type, object }) => ({
    of: object,
    line: `${type} ${JSON.stringify(normalForm(object, ledger))}`,
  }));
  if (!lines.some(({ of }) => isLookedAfter(of))) return lines.map(({ line }) => line);
  const byUid = Map.groupBy(lines, ({ of }) => of.metadata.uid);
  return [...byUid.values()].flatMap((own) =>
    own.map(({ line }) => line).filter((line, index, all) => line !== all[index - 1]),
  );
}
