import { expect, test } from 'vitest';
import { SlessError } from '../../errors.ts';
import { Outlet } from './outlet.ts';

test('what the broker says of its alarm is told, until it is over or the connection is', () => {
  const told: (string | undefined)[] = [];
  const outlet = new Outlet({
    join: () => async () => {},
    blocked: (problem) => told.push(problem && `${problem.code}: ${problem.message}`),
  });
  outlet.blocked('low on memory');
  outlet.blocked(undefined);
  outlet.blocked('low on disk');
  outlet.down(new SlessError('BrokerUnavailable', 'gone'));
  expect(told).toEqual([
    'BrokerBlocked: the broker takes no messages at present: low on memory',
    undefined,
    'BrokerBlocked: the broker takes no messages at present: low on disk',
    undefined,
  ]);
});

test('a copy for which there is no connection fails with the reason', async () => {
  const outlet = new Outlet({ join: () => async () => {}, blocked: () => {} });
  const early = outlet.publish('q', Buffer.alloc(0), {});
  outlet.down(new SlessError('BrokerUnavailable', 'gone'));
  await expect(early).rejects.toMatchObject({ code: 'BrokerUnavailable' });
});
