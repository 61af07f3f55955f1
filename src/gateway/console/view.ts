import { getCookie } from 'hono/cookie';
import type { Assets } from './assets.ts';
import type { ConsoleContext, ConsoleDeps, ConsoleOptions, Session } from './deps.ts';
import { type RestClient, restClient } from './rest/client.ts';
import { cookieName } from './session/cookie.ts';

export type Theme = 'light' | 'dark' | undefined;

/** What every page is made with. */
export interface Look {
  readonly assets: Pick<Assets, 'url'>;
  readonly version: string;
  /** What the visitor chose; what the system says, where it is absent. */
  readonly theme: Theme;
}

/** What a page for a visitor with a session is made with. */
export interface View extends Look {
  readonly session: Session;
  readonly rest: RestClient;
  readonly namespace: string;
  readonly now: number;
}

interface ViewSource {
  readonly deps: ConsoleDeps;
  readonly options: ConsoleOptions;
  readonly assets: Assets;
}

/** The namespace of the path; `undefined` for what is none, and so nowhere. */
export function namespaceOf(c: ConsoleContext): string | undefined {
  const ns = c.req.param('ns');
  return ns !== undefined && /^[a-z0-9][a-z0-9-]{0,62}$/.test(ns) ? ns : undefined;
}

export function lookOf(c: ConsoleContext, { options, assets }: Omit<ViewSource, 'deps'>): Look {
  const chosen = getCookie(c, cookieName('theme', { secure: false }));
  return {
    assets,
    version: options.version,
    theme: chosen === 'light' || chosen === 'dark' ? chosen : undefined,
  };
}

export function viewOf(c: ConsoleContext, source: ViewSource): View {
  const session = c.get('session');
  return {
    ...lookOf(c, source),
    session,
    rest: restClient(source.deps, session.token),
    namespace: namespaceOf(c) ?? session.identity.namespace,
    now: source.deps.clock.now(),
  };
}
