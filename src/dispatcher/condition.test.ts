import { expect, test } from 'vitest';
import { SlessError } from '../errors.ts';
import { conditionOf } from './condition.ts';

test('a broker that takes nothing at present still hands messages over, and the state says both', () => {
  const problem = new SlessError('BrokerBlocked', 'low on memory');
  const bus = { connected: true, problem } as const;
  expect(conditionOf({ bus, function: { ready: true }, stuck: undefined, isBusy: true })).toEqual({
    connected: true,
    reason: 'BrokerBlocked',
    message: 'low on memory',
  });
});
