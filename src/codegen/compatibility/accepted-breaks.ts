/**
 * Breaks since the last release that were decided on, each by the sentence that the test says and with its reason, which
 * goes into the release notes. `npm run release-api` ends them.
 */
export const ACCEPTED_BREAKS: Readonly<Record<string, string>> = {};
