import { z } from '@hono/zod-openapi';
import { SlessError } from '../../../errors.ts';
import { invalidRequest } from '../answer/mistakes.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { namespaceParams } from '../request/params.ts';
import { readBytes } from '../request/raw-body.ts';

/** What a broker is used for: RabbitMQ advises against more by far. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Dead letters, tries and what is parked would look as if they had come of a trigger. */
const RESERVED = /^(?:sless|amq)\./;

const params = namespaceParams.extend({
  queue: z
    .string()
    .min(1)
    .max(255)
    .refine((queue) => !/\p{Cc}/u.test(queue), { message: 'must not contain control characters' })
    .refine((queue) => !RESERVED.test(queue), {
      message: 'must not begin with "sless." or "amq.": such queues are not for senders',
    })
    .describe('The queue, as triggers name it. Names that begin with "sless." or "amq." are reserved.')
    .openapi({ example: 'orders' }),
});

export const publishEventRoute = operation(
  ['NamespaceNotFound', 'InvalidRequest', 'PayloadTooLarge', 'NotImplemented'],
  {
    method: 'post',
    path: '/v1/namespaces/{ns}/events/{queue}',
    operationId: 'publishEvent',
    tags: ['events'],
    summary: 'Puts a message into a queue of the local bus.',
    description:
      'The body is the message, at most 16 MiB, and its Content-Type the type. It is kept until an enabled event trigger of that queue takes it, however long that is. Only local mode without RABBITMQ_URL has a bus of its own; elsewhere the answer is 501: publish to the broker.',
    request: {
      params,
      body: {
        description: 'The message.',
        content: {
          'application/octet-stream': {
            schema: { type: 'string', format: 'binary' },
            example: '{"order": 7}',
          },
        },
      },
    },
    responses: {
      202: json('The message is kept.', z.object({ status: z.literal('accepted') }), { status: 'accepted' }),
    },
  },
);

export function registerPublishEvent(app: ApiApp, { publishEvent }: ApiDeps): void {
  app.openapi(publishEventRoute, async (c) => {
    if (publishEvent === undefined)
      throw new SlessError(
        'NotImplemented',
        'this installation has no bus of its own: publish to its broker',
      );
    const { queue } = c.req.valid('param');
    checkEncoding(c.req.url);
    const { incoming } = c.env ?? {};
    const body =
      incoming === undefined
        ? new Uint8Array(await c.req.arrayBuffer())
        : await readBytes(incoming, MAX_MESSAGE_BYTES);
    const contentType = c.req.header('content-type');
    await publishEvent({ namespace: c.get('namespace'), queue, body, contentType });
    return c.json({ status: 'accepted' as const }, 202);
  });
}

/** The router leaves as it is what is no encoding of UTF-8, so a slip would name a queue that nobody consumes. */
function checkEncoding(url: string): void {
  try {
    decodeURIComponent(new URL(url).pathname);
  } catch {
    const message = 'must be percent-encoded UTF-8';
    throw invalidRequest([{ code: 'custom', path: ['queue'], message }]);
  }
}
