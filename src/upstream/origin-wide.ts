/**
 * Fields of an answer that browsers keep for the whole origin or host, and why a function that shares it with api and
 * console must not say them. Where functions have a host of their own they pass.
 *
 * Left out on purpose: what concerns one document or resource alone (`Reporting-Endpoints`, `Permissions-Policy`,
 * `Cross-Origin-*`, `Content-Security-Policy`, `Link`), and `Set-Cookie`, which functions need.
 */
export const ORIGIN_WIDE: Readonly<Record<string, string>> = {
  'clear-site-data': 'signs everyone out, and empties what the console keeps',
  'strict-transport-security':
    'forces the host and its subdomains to HTTPS, or with max-age=0 takes that back',
  'service-worker-allowed': "lets a function's script answer in the place of api and console",
  'alt-svc': 'sends all further requests of the origin, tokens included, to another port or host',
  'public-key-pins': 'locks browsers out of the host until the pins expire',
  'public-key-pins-report-only': 'reports every connection to the host elsewhere',
  'expect-ct': 'refuses, or reports elsewhere, connections to the host',
  nel: 'reports failed requests of the origin, and of its subdomains, with their addresses elsewhere',
  'report-to': 'names where the reports of the whole origin go',
  'origin-agent-cluster': 'decides for all pages of the origin how they share a process',
  'accept-ch': 'asks for more about the user in every request to the origin',
  'use-as-dictionary': 'names requests anywhere on the origin that carry what it is a dictionary for',
  'set-login': 'says for the origin whether its user is signed in',
  'secure-session-registration': 'holds up requests of the origin until a session of its own is renewed',
  'sec-session-registration': 'the same under its earlier name',
};
