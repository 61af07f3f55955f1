import type { Budget, Candidate } from './budget.ts';

/** A message is taken for so large until one was seen; larger than most, and a thousand consumers may begin at once. */
const GUESS = 64 * 1024;
/** So many messages are taken at first, whatever the prefetch: how large they are is known only then. */
const FIRST_WINDOW = 2;
/** After each window the next one may be so many times as wide: with two steps hundreds, and never all of the prefetch unseen. */
const GROWTH = 16;
/** Whoever was let in and is sent nothing for so long has an empty queue: the bytes that were kept for it are others'. */
const EXPECT_MS = 500;

/** So many that wait may enter at once, be their queues empty or not: each is given that part of all there is, or one message. */
const ENTRIES = 16;

interface IntakeOptions {
  readonly prefetch: number;
  readonly namespace: string;
  readonly budget: Budget;
  /** Told when `isFull` or the window is another. */
  readonly changed: () => void;
}

/** How much one consumer may take. */
export class Intake implements Candidate {
  readonly namespace: string;
  readonly #options: IntakeOptions;
  readonly #budget: Budget;
  #largest = 0;
  /** Messages since the window is as it is. */
  #seen = 0;
  #bytes = 0;
  /** Kept for it, and not come yet. */
  #expected = 0;
  #lapse: NodeJS.Timeout | undefined;
  #window: number;
  #isFull = false;
  #isClosed = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#budget = options.budget;
    this.namespace = options.namespace;
    this.#window = Math.min(FIRST_WINDOW, options.prefetch);
    this.#budget.join(this);
    if (!this.#budget.fits(this.namespace, this.#coming())) this.#fill();
  }

  /** Too much is in hand: no more until half of it is done. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Messages that may be in hand at once. */
  get window(): number {
    return this.#window;
  }

  /** Counts a message; false where it must go back at once, since there is no room for it. */
  took(length: number): boolean {
    if (this.#expected > 0) this.#unexpect(Math.min(this.#expected, length));
    const fits = this.#budget.fits(this.namespace, length);
    this.#largest = Math.max(this.#largest, length);
    this.#seen += 1;
    this.#bytes += length;
    this.#budget.take(this.namespace, length);
    if (!fits || this.#bytes > this.#budget.limitOfOne) this.#fill();
    else this.#resize();
    return fits;
  }

  /** It is in hand no more, and its bytes are nobody's. */
  gave(length: number): void {
    if (this.#isClosed) return;
    this.#bytes -= length;
    this.#budget.give(this.namespace, length);
  }

  /** Whatever is still in hand counts no more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#lapse);
    this.#budget.leave(this);
    this.#budget.give(this.namespace, this.#bytes + this.#expected);
  }

  enter(room: number): boolean {
    const { limit, limitOfOne } = this.#budget;
    const size = this.#size();
    const alone = Math.min(size, limit);
    const wanted = Math.max(alone, Math.min(this.#fitting() * size - this.#bytes, limit / ENTRIES));
    const least = this.#bytes === 0 ? alone : wanted;
    if (this.#bytes > limitOfOne / 2 || room < least) return false;
    const granted = Math.min(wanted, room);
    this.#isFull = false;
    this.#expect(Math.min(granted, this.#window * size));
    this.#change(Math.max(1, Math.min(this.#window, Math.floor(granted / size))));
    return true;
  }

  leaveAt(room: number): void {
    if (this.#coming() > room + this.#expected) this.#fill();
  }

  #size(): number {
    return Math.max(1, this.#largest === 0 ? GUESS : this.#largest);
  }

  #fitting(): number {
    return Math.max(1, Math.min(this.#options.prefetch, Math.floor(this.#budget.limitOfOne / this.#size())));
  }

  /** Bytes that it may still be sent. */
  #coming(): number {
    const size = this.#size();
    return Math.max(size, this.#window * size - this.#bytes);
  }

  #fill(): void {
    if (this.#isFull || this.#isClosed) return;
    this.#isFull = true;
    this.#budget.wait(this);
    this.#options.changed();
  }

  #resize(): void {
    const fitting = this.#fitting();
    if (fitting < this.#window / 2) this.#change(fitting);
    if (this.#seen < this.#window || fitting <= this.#window) return;
    const affordable = Math.floor(this.#budget.room(this.namespace) / this.#size());
    const widest = Math.min(fitting, this.#window * GROWTH, affordable);
    if (widest >= Math.min(this.#window * 2, fitting)) this.#change(widest);
  }

  #change(window: number): void {
    this.#window = window;
    this.#seen = 0;
    this.#options.changed();
  }

  #expect(bytes: number): void {
    if (this.#expected > 0) this.#unexpect(this.#expected);
    this.#expected = bytes;
    this.#budget.expect(this.namespace, bytes);
    this.#lapse = setTimeout(() => this.#unexpect(this.#expected), EXPECT_MS).unref();
  }

  #unexpect(bytes: number): void {
    this.#expected -= bytes;
    this.#budget.give(this.namespace, bytes);
    if (this.#expected === 0) clearTimeout(this.#lapse);
  }
}
