import type { Upstream } from '../../../upstream/upstream.ts';
import type { Rate } from '../../rate/rate.ts';
import type { InFlight } from '../limits.ts';
import type { RouteStats } from '../stats.ts';

/** Everything that a call of one function needs, worked out before it comes. A change makes a new route. */
export interface Route {
  readonly namespace: string;
  readonly name: string;
  /** `/fn/{namespace}/{name}`. */
  readonly prefix: string;
  /** The header lines that are the same for every call. */
  readonly lines: string;
  readonly timeoutMs: number;
  /** Why calls cannot be served now, if so. */
  readonly down: 'stopped' | 'unreachable' | undefined;
  readonly upstream: Upstream;
  readonly inFlight: InFlight;
  /** How often it may be called; as often as anyone likes, where it is absent. */
  readonly rate: Rate | undefined;
  readonly stats: RouteStats;
}

/** The path under which a function is reached. */
export const prefixOf = (namespace: string, name: string): string => `/fn/${namespace}/${name}`;
