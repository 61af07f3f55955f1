import type { Channel, ChannelModel } from 'amqplib';

/**
 * Asks for something on a channel of its own: what the broker refuses costs the channel, and with one that consumes it would cost every
 * message that is in hand.
 */
export async function aside<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await model.createChannel();
  channel.on('error', () => {}); // the answer to what was asked says the same
  try {
    return await work(channel);
  } finally {
    await closed(channel);
  }
}

/** Closes a channel, which may be closed already. Where the connection goes meanwhile the library would wait for ever. */
export function closed(channel: Channel): Promise<void> {
  return new Promise((resolve) => {
    channel.once('close', resolve);
    channel.close().then(resolve, () => resolve());
  });
}
