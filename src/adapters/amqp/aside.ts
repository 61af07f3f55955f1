import type { Channel, ChannelModel } from 'amqplib';

/** So many channels of a connection are kept for what is asked aside; of one that has few, a quarter. */
const ASIDES = 16;

interface Gate {
  running: number;
  readonly waiting: (() => void)[];
}

const gates = new WeakMap<ChannelModel, Gate>();

/** What client and broker agreed on, which the library's types leave out. */
function channelsOf({ connection }: ChannelModel): number {
  const { channelMax } = connection as { readonly channelMax?: number };
  return channelMax ?? Number.POSITIVE_INFINITY;
}

const asidesOf = (model: ChannelModel): number =>
  Math.max(1, Math.min(ASIDES, Math.floor(channelsOf(model) / 4)));

/** How many users of one channel each a connection has room for, beside what is asked aside. */
export const seatsOf = (model: ChannelModel): number => Math.max(1, channelsOf(model) - asidesOf(model));

/**
 * Asks for something on a channel of its own: what the broker refuses costs the channel, and with one that consumes it would cost every
 * message that is in hand. Waits its turn, since channels of a connection are counted.
 */
export async function aside<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  const gate = gates.get(model) ?? { running: 0, waiting: [] };
  gates.set(model, gate);
  if (gate.running < asidesOf(model)) gate.running += 1;
  // Whoever ends hands its place on.
  else await new Promise<void>((resolve) => gate.waiting.push(resolve));
  try {
    return await onOwnChannel(model, work);
  } finally {
    const next = gate.waiting.shift();
    if (next === undefined) gate.running -= 1;
    else next();
  }
}

async function onOwnChannel<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
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
