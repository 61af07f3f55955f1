import { z } from 'zod';
import { SlessError } from '../errors.ts';
import type { CodeModel } from '../ports/code-model.ts';

interface ChatOptions {
  /** Root of the API, such as `https://api.example.org/v1`; `/chat/completions` follows it unless it is there. */
  readonly endpoint: string;
  /** Asked before each call, so that a rotated key is taken up. */
  readonly apiKey?: () => Promise<string>;
  readonly model: string;
  readonly timeoutMs: number;
}

/** An answer of two fields is some hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_TOKENS = 300;

const answerSchema = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string() }), finish_reason: z.string().nullish() }))
    .length(1),
});

/** A model behind the chat completions of OpenAI's API, which many servers offer. */
export function createChatModel(fetch: typeof globalThis.fetch, options: ChatOptions): CodeModel {
  const url = options.endpoint.endsWith('/chat/completions')
    ? options.endpoint
    : `${options.endpoint}/chat/completions`;
  return {
    name: options.model,
    ask: async (prompt) => {
      const key = await options.apiKey?.();
      const body = {
        model: options.model,
        messages: [{ role: 'user', content: prompt }],
        temperature: 0,
        max_tokens: MAX_TOKENS,
        stream: false,
      };
      try {
        const response = await fetch(url, {
          method: 'POST',
          redirect: 'error',
          headers: {
            'content-type': 'application/json',
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(options.timeoutMs),
        });
        const text = await boundedText(response);
        if (!response.ok) throw new Error(`HTTP ${response.status}`);
        const [choice] = answerSchema.parse(JSON.parse(text)).choices;
        if (choice?.finish_reason === 'length') throw new Error('the answer was cut off');
        return choice?.message.content ?? '';
      } catch (cause) {
        // The cause may hold what the server said; the message holds nothing of it.
        throw new SlessError('Unavailable', 'the model for reviews cannot be asked', { cause });
      }
    },
  };
}

async function boundedText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
