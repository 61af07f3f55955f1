/** @param {string} name */
function meta(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';
}

/** The proof that this page is one of the console's own. @returns {Record<string, string>} */
export function proof() {
  return { 'x-sless-csrf': meta('csrf') };
}

/** What REST, or the way to it, has answered in words. */
export class RestError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Where REST is for pages. @param {string} path below `/v1/namespaces` */
export const restUrl = (path) => `/funcs/-/v1/namespaces${path}`;

/**
 * @param {string} url
 * @param {RequestInit & { json?: unknown }} [options]
 * @returns {Promise<Response>} a good answer
 */
export async function ask(url, { json, ...options } = {}) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { accept: 'application/json', ...type, ...proof(), ...options.headers };
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url, { ...options, ...body, headers });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new RestError('sless cannot be reached: is it running, and are you online?', 0);
  }
  if (response.ok) return response;
  throw new RestError(await wordsOf(response), response.status);
}

/** @param {Response} response */
export async function wordsOf(response) {
  if (response.status === 401) return 'The session has ended: reload the page to sign in again.';
  try {
    const { error } = await response.json();
    return String(error);
  } catch {
    return `The answer was ${response.status}.`;
  }
}
