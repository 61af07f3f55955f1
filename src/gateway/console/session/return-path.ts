import { BASE } from '../base-path.ts';

/** Where to go after signing in: a path of the console, whatever the form or the link says. Never another host. */
export function returnPath(wanted: string | undefined): string {
  if (wanted === undefined || !URL.canParse(wanted, ORIGIN)) return BASE;
  const { origin, pathname, search } = new URL(wanted, ORIGIN);
  const isOurs = origin === ORIGIN && (pathname === BASE || pathname.startsWith(`${BASE}/`));
  return isOurs && !pathname.startsWith(`${BASE}/-/`) ? pathname + search : BASE;
}

/** Nobody's: paths are looked at on it. */
const ORIGIN = 'http://console.invalid';
