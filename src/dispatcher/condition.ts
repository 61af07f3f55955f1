import { isSlessError } from '../errors.ts';
import type { BusState } from '../ports/message-bus.ts';
import type { ConsumerState } from '../resources/trigger/consumer.ts';
import type { FunctionState } from './functions.ts';

/** How a consumer is, without since when. `undefined` while nothing is known. */
export type Condition = Omit<ConsumerState, 'since'> | undefined;

interface Facts {
  readonly bus: BusState | undefined;
  readonly function: FunctionState;
  /** Why a message cannot be put away. */
  readonly stuck: unknown;
  readonly isBusy: boolean;
}

/** As `consumerStateSchema` bounds it. */
const MAX_MESSAGE = 1024;

/** The most telling of what there is to say: the bus first, for without it all the rest is idle. */
export function conditionOf({ bus, function: fn, stuck, isBusy }: Facts): Condition {
  if (bus?.connected === false) return broken(bus.problem);
  if (stuck !== undefined) return broken(stuck);
  if (bus?.problem !== undefined) return { ...broken(bus.problem), connected: true };
  if (!fn.ready) return { connected: true, reason: fn.reason, message: fn.message };
  if (bus === undefined) return undefined;
  if (isBusy)
    return {
      connected: true,
      reason: 'FunctionBusy',
      message: 'all places of the function are taken, or it takes no connection; messages wait',
    };
  return { connected: true };
}

/** Only what was said on purpose: other errors may hold what is nobody's business. */
function broken(problem: unknown): Omit<ConsumerState, 'since'> {
  if (!isSlessError(problem))
    return { connected: false, reason: 'Internal', message: 'an error inside of sless; its log has it' };
  return { connected: false, reason: problem.code, message: problem.message.slice(0, MAX_MESSAGE) };
}
