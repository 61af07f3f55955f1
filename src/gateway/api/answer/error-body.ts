import { z } from '@hono/zod-openapi';
import { ERRORS, type ErrorCode, SlessError } from '../../../errors.ts';
import { snakePaths } from './snake-case.ts';

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** The body of every answer that is not 2xx. */
export const errorBody = z
  .object({
    error: z.string().describe('What was wrong and what would be right, for a person.'),
    code: z.enum(CODES).describe('One word of the closed table of errors.'),
    details: z.array(z.string()).optional().describe('Every single mistake, where there are several.'),
  })
  .openapi('Error', { example: { error: 'there is no function "hello"', code: 'NotFound' } });

/** An error as it goes over the wire. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: z.infer<typeof errorBody>;
}

/** The one translation of errors into answers. What nobody threw on purpose is `Internal` and says nothing of itself. */
export function toErrorAnswer(error: unknown): ErrorAnswer {
  const known = error instanceof SlessError ? asRequestError(error) : internal(error);
  const retryAfter = known.retryAfterSeconds ?? (known.code === 'Unavailable' ? 5 : undefined);
  return {
    status: known.http,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) },
    body: {
      error: known.message,
      code: known.code,
      ...(known.details.length > 0 ? { details: [...known.details] } : {}),
    },
  };
}

/** The API server's verdict on a spec is bad input to a caller of REST, who knows the fields by other names. */
function asRequestError(error: SlessError): SlessError {
  if (error.code !== 'Invalid') return error;
  return new SlessError('InvalidRequest', snakePaths(error.message), {
    cause: error,
    details: error.details.map(snakePaths),
  });
}

function internal(cause: unknown): SlessError {
  return new SlessError('Internal', 'something went wrong on our side; the request id finds it in the logs', {
    cause,
  });
}
