import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  type BusConsumer,
  type BusListener,
  DEAD_LETTERINGS,
  type Delivery,
  type EventPublisher,
  type MessageBus,
  type MessageProperties,
  parkingQueueOf,
  type Subscription,
} from '../ports/message-bus.ts';
import { openPrivately, reading } from './sqlite-file.ts';

/** The queues of local mode, in one SQLite file. One process a file: the lock is the caller's. */
export interface EmbeddedBus extends MessageBus, EventPublisher {}

interface EmbeddedBusOptions {
  /** Made where it does not exist. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A message as it lies. `owner` is empty, or the one Trigger that tries it again. */
interface Row {
  readonly id: number;
  readonly attempts: number;
  readonly redelivered: number;
  readonly queue: string;
  readonly body: Uint8Array;
  readonly properties: string;
}

/** Timers of Node count to 2^31 ms at most. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/**
 * Delivers as a broker does: a message in hand is held, and comes back when whoever holds it goes. What was held when the
 * process ended is there again at the next start, marked as redelivered.
 *
 * @throws StateUnreadable for a file that is damaged
 */
export function createEmbeddedBus({ path, now }: EmbeddedBusOptions): EmbeddedBus {
  const db = reading(path, () => openPrivately(path, prepareTables));
  const table = createTable(db);
  const consumers = new Set<EmbeddedConsumer>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  /** In turns, one each, so that two consumers of a queue share. */
  const pump = (): void => {
    clearTimeout(timer);
    if (closed) return;
    let at: number;
    let taken: number;
    do {
      at = now();
      const moment = at;
      taken = [...consumers].filter((consumer) => consumer.take(moment)).length;
    } while (taken > 0);
    // By the same moment: a message that falls due in between would be neither taken nor waited for.
    const due = table.nextDue(at);
    if (due !== undefined) timer = setTimeout(pump, Math.min(MAX_WAIT_MS, Math.max(1, due - now()))).unref();
  };
  const soon = (): void => void setImmediate(pump);

  return {
    async publish(queue, { body, properties = {} }) {
      const all: MessageProperties = {
        exchange: '',
        routingKey: queue,
        redelivered: false,
        headers: {},
        ...properties,
      };
      table.insert(queue, { body, properties: all });
      soon();
    },
    consume(subscription, listener) {
      const consumer = new EmbeddedConsumer({ subscription, listener, table, now, soon });
      consumers.add(consumer);
      setImmediate(() => consumers.has(consumer) && listener.changed({ connected: true }));
      soon();
      return {
        pause: () => consumer.pause(),
        resume: (most) => consumer.resume(most),
        async close() {
          if (!consumers.delete(consumer)) return;
          consumer.giveBack();
          soon();
        },
      };
    },
    async close() {
      for (const consumer of consumers) consumer.giveBack();
      consumers.clear();
      clearTimeout(timer);
      if (!closed) db.close();
      closed = true;
    },
  };
}

function prepareTables(db: DatabaseSync): void {
  db.exec(`
    CREATE TABLE IF NOT EXISTS messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, owner TEXT NOT NULL DEFAULT '',
      due INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0,
      redelivered INTEGER NOT NULL DEFAULT 0, body BLOB NOT NULL, properties TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS ready ON messages (queue, held, due, id);
    CREATE INDEX IF NOT EXISTS owned ON messages (owner, held, due, id);
    UPDATE messages SET held = 0, redelivered = 1 WHERE held = 1;`);
}

type Table = ReturnType<typeof createTable>;

function createTable(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO messages (queue, body, properties) VALUES (?, ?, ?)');
  const next = (whose: string): StatementSync =>
    db.prepare(
      `SELECT id, queue, attempts, redelivered, body, properties FROM messages
       WHERE ${whose} AND held = 0 AND due <= ? ORDER BY id LIMIT 1`,
    );
  const nextOfQueue = next("queue = ? AND owner = ''");
  // What is tried again is its owner's, whichever queue that reads by then: a broker keeps it in a queue of the owner's own.
  const nextOfOwner = next('owner = ?');
  const hold = db.prepare('UPDATE messages SET held = 1 WHERE id = ?');
  const free = db.prepare('UPDATE messages SET held = 0, redelivered = 1 WHERE id = ?');
  const remove = db.prepare('DELETE FROM messages WHERE id = ?');
  const later = db.prepare(
    'UPDATE messages SET held = 0, owner = ?, due = ?, attempts = attempts + 1, redelivered = 0 WHERE id = ?',
  );
  const move = db.prepare(
    "UPDATE messages SET held = 0, queue = ?, owner = '', due = 0, attempts = 0, properties = ? WHERE id = ?",
  );
  const due = db.prepare('SELECT min(due) AS due FROM messages WHERE held = 0 AND due > ?');
  return {
    insert: (queue: string, { body, properties }: { body: Uint8Array; properties: MessageProperties }) =>
      void insert.run(queue, body, JSON.stringify(properties)),
    /** Holds the next message of a queue that this owner may have. */
    take(queue: string, owner: string, now: number): Row | undefined {
      // The statements' own columns.
      const found = [nextOfOwner.get(owner, now), nextOfQueue.get(queue, now)] as (Row | undefined)[];
      const [row] = found.filter((one) => one !== undefined).toSorted((a, b) => a.id - b.id);
      if (row !== undefined) hold.run(row.id);
      return row;
    },
    free: (id: number) => void free.run(id),
    remove: (id: number) => void remove.run(id),
    later: (id: number, owner: string, at: number) => void later.run(owner, at, id),
    move: (id: number, queue: string, properties: MessageProperties) =>
      void move.run(queue, JSON.stringify(properties), id),
    nextDue(now: number): number | undefined {
      const at = due.get(now)?.due;
      return typeof at === 'number' ? at : undefined;
    },
  };
}

interface ConsumerDeps {
  readonly subscription: Subscription;
  readonly listener: BusListener;
  readonly table: Table;
  readonly now: () => number;
  /** Looks soon for messages that can be delivered. */
  readonly soon: () => void;
}

class EmbeddedConsumer implements Pick<BusConsumer, 'pause' | 'resume'> {
  readonly #deps: ConsumerDeps;
  readonly #inHand = new Set<number>();
  #paused = false;
  #most = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(deps: ConsumerDeps) {
    this.#deps = deps;
  }

  async pause(): Promise<void> {
    this.#paused = true;
  }

  resume(most = Number.POSITIVE_INFINITY): void {
    this.#most = most;
    this.#paused = false;
    this.#deps.soon();
  }

  /** What is in hand goes back. */
  giveBack(): void {
    this.#closed = true;
    for (const id of this.#inHand) this.#deps.table.free(id);
    this.#inHand.clear();
  }

  /** Takes one message, if there is one and room for it. */
  take(now: number): boolean {
    const { subscription, table, listener } = this.#deps;
    if (this.#paused || this.#closed || this.#inHand.size >= Math.min(subscription.prefetch, this.#most))
      return false;
    const row = table.take(subscription.queue, subscription.owner, now);
    if (row === undefined) return false;
    this.#inHand.add(row.id);
    listener.delivered(this.#deliveryOf(row));
    return true;
  }

  #deliveryOf(row: Row): Delivery {
    const { subscription, table, now, soon } = this.#deps;
    // Written by `insert` and `move` above.
    const stored = JSON.parse(row.properties) as MessageProperties;
    const properties = { ...stored, redelivered: row.redelivered === 1 };
    const end = (how: () => void): void => {
      if (!this.#inHand.delete(row.id)) return;
      how();
      soon();
    };
    const isLost = (): boolean => this.#closed;
    const deadLetterings = countOf(stored.headers[DEAD_LETTERINGS]);
    const moveTo = (queue: string, headers: Readonly<Record<string, string | number>>): void =>
      end(() => {
        const all = { ...stored.headers, ...headers, [DEAD_LETTERINGS]: deadLetterings + 1 };
        table.move(row.id, queue, { ...stored, headers: all });
      });
    return {
      body: row.body,
      properties,
      queue: row.queue === subscription.queue ? (subscription.named ?? row.queue) : row.queue,
      attempts: row.attempts,
      deadLetterings,
      get lost() {
        return isLost();
      },
      ack: () => end(() => table.remove(row.id)),
      release: () => end(() => table.free(row.id)),
      retry: async (delayMs) => end(() => table.later(row.id, subscription.owner, now() + delayMs)),
      deadLetter: async (headers) => moveTo(subscription.deadLetterQueue, headers),
      park: async (headers) => moveTo(parkingQueueOf(subscription.owner), headers),
    };
  }
}

const countOf = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0);
