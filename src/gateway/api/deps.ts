import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AccessReview } from '../../ports/access-review.ts';
import type { Clock, MonotonicClock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { InvocationLog } from '../../ports/invocation-log.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { PodLogs } from '../../ports/pod-logs.ts';
import type { ReviewGate } from '../../review/gate.ts';
import type { RuntimeCatalogue } from '../../runtimes/catalogue.ts';
import type { ContextPreparer } from '../../source/preparer.ts';
import type { Authenticator, Identity } from '../auth/authenticator.ts';

/** What the api stands on. Everything that differs between a test, a machine and a cluster is in here. */
export interface ApiDeps {
  readonly cluster: Cluster;
  readonly store: ObjectStore;
  readonly authenticator: Authenticator;
  /** Asked when a token wants into another namespace than its own; that is always refused, where it is absent. */
  readonly access?: AccessReview;
  readonly runtimes: RuntimeCatalogue;
  readonly preparer: Pick<ContextPreparer, 'prepare'>;
  /** Reads uploaded code before it is stored; nobody does, where it is absent. */
  readonly review?: ReviewGate;
  /** What became of calls; its routes answer 501, where it is absent. */
  readonly invocations?: InvocationLog;
  /** What pods write; its routes answer 501, where it is absent. */
  readonly logs?: PodLogs;
  /** Aborted when the service ends: answers without an end of their own end then. */
  readonly ending?: AbortSignal;
  readonly clock: Clock;
  /** `performance` by default. */
  readonly monotonic?: MonotonicClock;
  /** Fresh, unguessable and safe in a header, such as `crypto.randomUUID`. */
  readonly newId: () => string;
  /** Numbers from 0 to 1, such as `Math.random`; nothing secret comes of them. */
  readonly random: () => number;
  readonly logger: Logger;
  /** Puts a message into a queue of a bus of our own; absent where there is none. */
  readonly publishEvent?: (event: PublishedEvent) => Promise<void>;
  /** Told of every answered request, for metrics. */
  readonly observe?: (request: ObservedRequest) => void;
  /** Whether `/readyz` says yes; always, where it is absent. */
  readonly ready?: () => boolean;
}

/** A message that somebody publishes over REST. */
export interface PublishedEvent {
  readonly namespace: string;
  /** As triggers name it. */
  readonly queue: string;
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
}

/** One answered request. Method, route and status come from small fixed sets: they can be labels of a metric. */
export interface ObservedRequest {
  readonly method: string;
  /** The route's pattern, `unknown` where none matched. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export interface ApiOptions {
  /** The bucket that is written into `spec.s3Bucket`. */
  readonly bucket: string;
  /** Version of sless, for the OpenAPI document. */
  readonly version: string;
  /** Addresses and CIDR blocks whose X-Request-Id is believed. */
  readonly trustedProxies?: readonly string[];
  /** Folder for zips and contexts while they are looked at; the system's by default. */
  readonly temporaryFolder?: string;
  /** The largest zip in bytes; 32 MiB by default. */
  readonly maxUploadBytes?: number;
  /** Milliseconds of silence after which a sender is given up; 30 s by default. */
  readonly uploadSilenceMs?: number;
  /** Uploads at once of one tenant, 4 by default, and of all, 32 by default. */
  readonly uploadsPerTenant?: number;
  readonly uploadsTotal?: number;
  /** Milliseconds that one more waits for its turn; 10 s by default. */
  readonly uploadWaitMs?: number;
  /** Requests a second of one token's subject; any number, where it is absent. */
  readonly ratePerToken?: number | undefined;
  /** Readers of code at once of one tenant, 4 by default, and of all, 8 by default. */
  readonly sourceReadersPerTenant?: number;
  readonly sourceReadersTotal?: number;
  /** Followers of logs at once of one tenant, 8 by default, and of all, 128 by default. */
  readonly followersPerTenant?: number;
  readonly followersTotal?: number;
  /** Milliseconds after which a follower hears that it is still followed; 15 s by default. */
  readonly heartBeatMs?: number;
  /** How long DELETE of a function waits for its children to go; 30 s by default. */
  readonly deleteWaitMs?: number;
}

/** What middleware leaves for handlers, and the raw request of node:http. */
export interface ApiEnv {
  // `incoming` is absent when a test asks the app without a server.
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: {
    requestId: string;
    logger: Logger;
    identity: Identity;
    /** The namespace of the path, which the identity may use. */
    namespace: string;
  };
}

export type ApiApp = OpenAPIHono<ApiEnv>;
