import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RuntimeCatalogue } from '../../runtimes/catalogue.ts';
import type { Authenticator, Identity } from '../auth/authenticator.ts';
import type { FunctionCaller } from './rest/function-caller.ts';
import type { SignInByOidc } from './session/oidc.ts';

type Bindings = Partial<HttpBindings>;

/** What the console stands on. */
export interface ConsoleDeps {
  /** The api, asked within the process: the console shows nothing that REST does not answer to the same token. */
  readonly api: { readonly fetch: (request: Request, env?: Bindings) => Response | Promise<Response> };
  readonly authenticator: Authenticator;
  readonly runtimes: RuntimeCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Calls a function as anybody would; the page for it says so, where it is absent. */
  readonly callFunction?: FunctionCaller;
  /** Signing in at an issuer of tokens; by pasting a token alone, where it is absent. */
  readonly oidc?: SignInByOidc;
  /** The token of whoever brings none: local mode's, for whom that may be. */
  readonly ownToken?: (incoming: IncomingMessage | undefined) => Promise<string | undefined>;
}

export interface ConsoleOptions {
  /** Version of sless, for the foot of the pages and the addresses of assets. */
  readonly version: string;
  /** Whether browsers reach it by https, so that cookies may be bound to that. */
  readonly secure: boolean;
  /** Tells apart the cookies of several installations on one host, such as by port. */
  readonly cookieSuffix?: string;
  /** What a visitor without a token is told of where tokens come from. */
  readonly tokenHint?: string;
}

/** A visitor who has shown a token. */
export interface Session {
  readonly token: string;
  readonly identity: Identity;
  /** How the token came: pages that a browser asked for have more to offer than a command line. */
  readonly by: 'header' | 'cookie' | 'own';
  /** What a change must repeat: see `csrf.ts`. */
  readonly csrf: string;
}

export interface ConsoleEnv {
  readonly Bindings: Bindings;
  readonly Variables: { session: Session };
}

export type ConsoleApp = Hono<ConsoleEnv>;
export type ConsoleContext = Context<ConsoleEnv>;
