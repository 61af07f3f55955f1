import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Consumer } from '../../src/resources/trigger/consumer.ts';
import { type Broker, openBroker } from '../rabbitmq/broker.ts';
import { openStage, type Stage, until } from './stage.ts';

/** What every change of a consumer's state has to be told within. */
const WITHIN_MS = 30_000;

/** The stage of the test that runs, with what most tests do on it. */
export interface OnStage {
  readonly broker: Broker;
  readonly stage: Stage;
  /** Another one in each test: queues of one broker outlive it. */
  readonly number: number;
  /** A Trigger of this test alone, for a queue of its own name that nobody has declared. */
  waiting(changes?: Partial<Consumer>): { name: string; consumer: Consumer };
  /** The same, and the queue. */
  served(
    changes?: Partial<Consumer>,
    options?: object,
  ): Promise<{ name: string; queue: string; consumer: Consumer; dead: string }>;
  flows(consumer: Consumer): Promise<void>;
  fails(consumer: Consumer, reason: string): Promise<void>;
  /** A Trigger has done so many messages. */
  done(count: number, trigger: string): Promise<void>;
  /** Nothing is left in a queue once the dispatcher has given back what it held. */
  empty(queue: string): Promise<void>;
}

/** A stage for each test of a block, on one broker for all of them: hooks of the block in which it is called open and close them. */
export function stagesOnBroker(options: Parameters<typeof openStage>[0] = {}): OnStage {
  let broker: Broker;
  let stage: Stage;
  let number = 0;
  beforeAll(async () => {
    broker = await openBroker();
  });
  afterAll(() => broker?.close());
  beforeEach(async () => {
    stage = await openStage({ on: broker, ...options });
    number += 1;
  });
  afterEach(() => stage.close());
  const waiting = (changes: Partial<Consumer> = {}) => {
    const name = `q${number}`;
    return { name, consumer: stage.serve({ queue: name, trigger: name, ...changes }) };
  };
  return {
    get broker() {
      return broker;
    },
    get stage() {
      return stage;
    },
    get number() {
      return number;
    },
    waiting,
    served: async (changes, options = {}) => {
      const queue = await stage.declare(`q${number}`, options);
      const { name, consumer } = waiting(changes);
      return { name, queue, consumer, dead: `sless.dead.team.${name}` };
    },
    flows: (consumer) =>
      until(
        () => expect(stage.stateOf(consumer)).toEqual({ connected: true, since: expect.any(String) }),
        WITHIN_MS,
      ),
    fails: (consumer, reason) =>
      until(() => expect(stage.stateOf(consumer)).toMatchObject({ connected: false, reason }), WITHIN_MS),
    done: (count, trigger) =>
      until(() => {
        const stats = stage.dispatcher.stats().find((one) => one.trigger === trigger);
        expect(stats?.done).toBeGreaterThanOrEqual(count);
      }),
    empty: async (queue) => {
      await stage.dispatcher.close();
      expect(await broker.drain(queue)).toEqual([]);
    },
  };
}
