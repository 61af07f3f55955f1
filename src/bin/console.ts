import type { Config } from '../config/config.ts';
import type { ApiApp, ApiDeps } from '../gateway/api/deps.ts';
import { createConsole } from '../gateway/console/app.ts';
import type { ConsoleApp } from '../gateway/console/deps.ts';
import { callByProxy } from '../gateway/console/rest/call-by-proxy.ts';
import { createOidc, type SignInByOidc } from '../gateway/console/session/oidc.ts';
import type { Logger } from '../ports/logger.ts';
import { installedVersion } from './home.ts';

type Deps = Pick<ApiDeps, 'authenticator' | 'runtimes' | 'clock' | 'logger'> & { readonly api: ApiApp };

/** The console of an installation, beside its api. */
export function openConsole(
  deps: Deps,
  config: Config,
  { withProxy }: { readonly withProxy: boolean },
): ConsoleApp {
  const oidc = openOidc(config, deps.logger);
  const proxyUrl = config.fnInternalUrl ?? (withProxy ? `http://127.0.0.1:${config.port}` : undefined);
  return createConsole(
    {
      ...deps,
      ...(oidc === undefined ? {} : { oidc }),
      ...(proxyUrl === undefined ? {} : { callFunction: callByProxy(() => proxyUrl) }),
    },
    { version: installedVersion(), secure: config.externalUrl?.startsWith('https:') ?? false },
  );
}

/** Of the three that it needs `loadConfig` has demanded the others with the first. */
function openOidc(config: Config, logger: Logger): SignInByOidc | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId = '', externalUrl = '' } = config;
  if (issuer === undefined) return undefined;
  const { oidcClientSecret: clientSecret, oidcScope: scope, oidcToken: token } = config;
  return createOidc({ fetch, logger }, { issuer, clientId, clientSecret, scope, token, externalUrl });
}
