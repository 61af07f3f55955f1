import { z } from '@hono/zod-openapi';
import { SlessError } from '../../../errors.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { namespaceParams } from '../request/params.ts';
import { readBytes } from '../request/raw-body.ts';

/** What a broker is used for: RabbitMQ advises against more by far. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

const params = namespaceParams.extend({
  queue: z
    .string()
    .min(1)
    .max(255)
    .describe('The queue, as triggers name it.')
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
