import type { CallerOf } from '../caller/peers.ts';
import type { Admitted } from './admitted.ts';
import type { Arrivals } from './arrivals.ts';
import { type Bound, enter, leave, uploaded } from './limits.ts';
import { isCollected } from './request-body.ts';

export interface PlaceDeps {
  readonly arrivals: Arrivals;
  readonly callerOf: CallerOf;
}

/** What one call holds of what there is little of: its place among those in flight, and what has come of a small body. */
export class Place {
  readonly #deps: PlaceDeps;
  readonly #in: Admitted;
  /** Whether it counts as in flight: admission has counted all but calls with a small body. */
  #counted: boolean;
  #uploading: boolean;
  /** Bytes of a small body that is not whole yet. */
  #kept = 0;

  constructor(deps: PlaceDeps, admitted: Admitted) {
    this.#deps = deps;
    this.#in = admitted;
    this.#counted = !isCollected(admitted.framing);
    this.#uploading = admitted.uploader !== undefined;
  }

  /** A part of a small body has come. Returns whether there is room to keep it. */
  keep(bytes: number): boolean {
    const { request, peer } = this.#in;
    const isKept = this.#deps.arrivals.hold(this.#deps.callerOf(request, peer), bytes);
    if (isKept) this.#kept += bytes;
    return isKept;
  }

  /** A small body is whole: only now its call counts, if it may. */
  take(): Bound | undefined {
    this.#free();
    const reached = enter(this.#in.route.inFlight);
    this.#counted = reached === undefined;
    return reached;
  }

  /** A body that is carried while it comes is through, or nobody waits for it any more. */
  uploaded(): void {
    if (!this.#uploading) return;
    this.#uploading = false;
    uploaded(this.#in.route.inFlight, this.#in.uploader ?? '');
  }

  /** The call is over. */
  leave(): void {
    this.#free();
    this.uploaded();
    if (this.#counted) leave(this.#in.route.inFlight);
    this.#counted = false;
  }

  #free(): void {
    if (this.#kept === 0) return;
    const { request, peer } = this.#in;
    this.#deps.arrivals.free(this.#deps.callerOf(request, peer), this.#kept);
    this.#kept = 0;
  }
}
