import type { ConsoleContext } from '../deps.ts';

/** Who asks, as far as browsers say it: no script can set these fields, and old or foreign clients send none of them. */
type Headers = Pick<ConsoleContext, 'req'>;

/**
 * Whether a browser is going to show the answer as a page of its own. A script that fetches it says `empty`, a frame says
 * `iframe`: neither may read a page, in which the proof for changes stands.
 */
export function isNavigation({ req }: Headers): boolean {
  const [dest, mode] = [req.header('sec-fetch-dest'), req.header('sec-fetch-mode')];
  return (dest === undefined || dest === 'document') && (mode === undefined || mode === 'navigate');
}

/** Whether it came from another site, so that the browser has kept a `SameSite=Strict` cookie back. */
export function isCrossSite({ req }: Headers): boolean {
  return req.header('sec-fetch-site') === 'cross-site';
}

/** Whether a page of this very origin asks: sandboxed pages of functions, and all other sites, do not pass for it. */
export function isSameOrigin({ req }: Headers): boolean {
  const site = req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = req.header('origin');
  if (origin !== undefined) return hostOf(origin) === req.header('host');
  // A browser that says nothing of the site says the origin with all that changes anything.
  return site !== undefined || req.method === 'GET' || req.method === 'HEAD';
}

/** `undefined` for `null`, the origin of what is sandboxed. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Whether whoever asks wants a page. `curl` asks for anything, and gets text. */
export function wantsPage({ req }: Headers): boolean {
  return /\btext\/html\b/i.test(req.header('accept') ?? '');
}
