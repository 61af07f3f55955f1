import type { HttpBindings } from '@hono/node-server';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { TokenReview } from '../../ports/token-review.ts';

/** What the routes for build pods stand on. */
export interface InternalDeps {
  readonly cluster: Pick<Cluster, 'get' | 'list'>;
  readonly store: Pick<ObjectStore, 'get'>;
  readonly tokens: TokenReview;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface InternalOptions {
  /** Requests at once; more are told to come again. 32 by default: the object store's client has 50 connections. */
  readonly atOnce?: number;
  /** Milliseconds after which a reader that takes nothing is given up; 30 s by default. */
  readonly silenceMs?: number;
}

/** The raw response of node:http, through which a context is streamed. */
export interface InternalEnv {
  readonly Bindings: HttpBindings;
}
