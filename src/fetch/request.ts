import type { IncomingMessage, RequestOptions } from 'node:http';
import { SlessError } from '../errors.ts';
import { refusalOf } from './refusal.ts';

/** A silent api is given up after this long, in the middle of a body too. */
const SILENCE_MS = 30_000;
const MAX_REFUSAL = 4096;

/**
 * Asks for the context, shows the token, follows no redirect.
 *
 * @throws SlessError what the api said, or `Unavailable`
 */
export async function requestContext(url: string, token: string): Promise<IncomingMessage> {
  // One of the two costs a build's first step some milliseconds.
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const options: RequestOptions = { headers: { authorization: `Bearer ${token}`, connection: 'close' } };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = request(url, options, resolve);
    asking.setTimeout(SILENCE_MS, () => asking.destroy(new Error('the api fell silent')));
    asking.on('error', (error) => reject(transportError(error)));
    asking.end();
  });
  if (answer.statusCode === 200) return answer;
  throw refusalOf({
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers['retry-after'],
    text: await startOf(answer),
  });
}

/** Whatever a socket may throw, before the body or in it. */
export function transportError(error: unknown): SlessError {
  if (error instanceof SlessError) return error;
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
  const message = error instanceof Error ? error.message : String(error);
  return new SlessError('Unavailable', `the api cannot be reached: ${message}${code}`, { cause: error });
}

async function startOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of answer.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_REFUSAL) break;
    }
  } catch {
    // The status says enough.
  }
  return text;
}
