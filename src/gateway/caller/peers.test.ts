import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createPeers } from './peers.ts';

const callerOf = (trusted: readonly string[], address: string, said?: string): string => {
  const peers = createPeers(trusted);
  const request = { headers: said === undefined ? {} : { 'x-forwarded-for': said } } as IncomingMessage;
  const socket = { remoteAddress: address } as IncomingMessage['socket'];
  return peers.callerOf(request, peers.peerOf(socket));
};

test.each([
  ['the peer, whatever it says, when it is no trusted proxy', [], '9.9.9.9', '1.1.1.1', '9.9.9.9'],
  ['who the trusted proxy names', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1', '1.1.1.1'],
  [
    'the last one that is no trusted proxy',
    ['10.0.0.0/8'],
    '10.0.0.1',
    '6.6.6.6, 1.1.1.1, 10.0.0.2',
    '1.1.1.1',
  ],
  ['the first hop, when all are trusted', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['the proxy itself, when it names nobody', ['10.0.0.0/8'], '10.0.0.1', undefined, '10.0.0.1'],
  ['an IPv4 address over IPv6 as such', ['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:1.1.1.1', '1.1.1.1'],
  ['what is no address as it is', ['10.0.0.0/8'], '10.0.0.1', 'unknown', 'unknown'],
])('the caller is %s', (_, trusted, address, said, caller) => {
  expect(callerOf(trusted, address, said)).toBe(caller);
});
