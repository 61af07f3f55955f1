import type { Delivery } from '../ports/message-bus.ts';
import type { Outcome } from './attempt.ts';

/** What was counted of one Trigger. Plain numbers, read when somebody asks. */
export interface TriggerStats {
  readonly namespace: string;
  readonly trigger: string;
  inFlight: number;
  /** Messages that were handed over, and of them those that the broker had handed over before. */
  delivered: number;
  redelivered: number;
  done: number;
  /** Tries that failed and are to be repeated. */
  retried: number;
  deadLettered: number;
  /** Messages that had been dead letters too often, and went to where nobody consumes them. */
  parked: number;
  /** Calls that the function did not take, which are no tries. */
  refused: number;
  connected: boolean;
}

export const createTriggerStats = (namespace: string, trigger: string): TriggerStats => ({
  namespace,
  trigger,
  inFlight: 0,
  delivered: 0,
  redelivered: 0,
  done: 0,
  retried: 0,
  deadLettered: 0,
  parked: 0,
  refused: 0,
  connected: false,
});

export function countDelivery(stats: TriggerStats, { properties }: Delivery): void {
  stats.delivered += 1;
  if (properties.redelivered) stats.redelivered += 1;
}

/** A call has ended so. */
export function countEnd(stats: TriggerStats, outcome: Outcome): void {
  stats.inFlight -= 1;
  if (outcome === 'untried') stats.refused += 1;
  else if (outcome !== 'lost') stats[outcome] += 1;
}
