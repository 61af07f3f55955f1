const MIB = 1024 * 1024;
/** Waiting consumers are looked at so often, and not for each message that is done: to subscribe again costs the broker more. */
const LET_IN_MS = 20;

/** A consumer of whose namespace too much is in hand, as its budget sees it. */
export interface Candidate {
  readonly namespace: string;
  /** Whether so many bytes are enough for it to go on. Then it does. */
  enter(room: number): boolean;
  /** Ends taking, where what it may still be sent is more than so many bytes. */
  leaveAt(room: number): void;
}

interface Limits {
  /** Bytes of all consumers together. */
  readonly limit: number;
  readonly limitOfOne: number;
}

/** The dispatcher has 512 MiB by the chart: a quarter of them for messages, which may be there once more on their way out. */
const LIMITS: Limits = { limit: 128 * MIB, limitOfOne: 32 * MIB };

/**
 * Bytes of messages in hand, and of those that are expected at any moment. A namespace may hold as much as is left free: alone that is half of
 * all, with others less, and there is always room for one more.
 */
export class Budget implements Limits {
  readonly limit: number;
  readonly limitOfOne: number;
  #used = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #namespaces = new Map<string, number>();
  readonly #members = new Map<string, Set<Candidate>>();
  readonly #waiting = new Set<Candidate>();

  constructor({ limit, limitOfOne }: Limits = LIMITS) {
    this.limit = limit;
    this.limitOfOne = limitOfOne;
  }

  get used(): number {
    return this.#used;
  }

  /** Bytes that a namespace may take beside what it has. */
  room(namespace: string): number {
    return this.limit - this.#used - (this.#namespaces.get(namespace) ?? 0);
  }

  /** Whether a message may be kept. One that is larger than all there is may come alone. */
  fits(namespace: string, length: number): boolean {
    return this.#used === 0 || length <= this.room(namespace);
  }

  /** Keeps bytes for what is on its way. */
  expect(namespace: string, bytes: number): void {
    this.#used += bytes;
    this.#namespaces.set(namespace, (this.#namespaces.get(namespace) ?? 0) + bytes);
  }

  /** Counts what has come. */
  take(namespace: string, bytes: number): void {
    this.expect(namespace, bytes);
    const room = this.room(namespace);
    // An eighth is left to what is on its way while a consumer ends.
    if (room < this.limit / 8) for (const one of this.#members.get(namespace) ?? []) one.leaveAt(room);
  }

  give(namespace: string, bytes: number): void {
    this.#used -= bytes;
    const left = (this.#namespaces.get(namespace) ?? 0) - bytes;
    if (left > 0) this.#namespaces.set(namespace, left);
    else this.#namespaces.delete(namespace);
    this.#letInSoon();
  }

  join(one: Candidate): void {
    this.#members.set(one.namespace, (this.#members.get(one.namespace) ?? new Set()).add(one));
  }

  leave(one: Candidate): void {
    this.#waiting.delete(one);
    const members = this.#members.get(one.namespace);
    members?.delete(one);
    if (members?.size === 0) this.#members.delete(one.namespace);
  }

  /** It enters when there is room, in its turn. */
  wait(one: Candidate): void {
    this.#waiting.add(one);
    this.#letInSoon();
  }

  #letInSoon(): void {
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => this.#letIn(), LET_IN_MS).unref();
  }

  #letIn(): void {
    this.#timer = undefined;
    for (const one of [...this.#waiting]) {
      const room = this.#used === 0 ? this.limit : this.room(one.namespace);
      if (one.enter(room)) this.#waiting.delete(one);
    }
  }
}
