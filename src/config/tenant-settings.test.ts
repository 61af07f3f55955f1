import { BlockList, isIPv6 } from 'node:net';
import { expect, test } from 'vitest';
import { TENANT_SETTINGS } from './tenant-settings.ts';

const blocks = new BlockList();
for (const block of TENANT_SETTINGS.notInternet.default.split(',')) {
  const [address = '', bits] = block.split('/');
  blocks.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
}
const isLeftOut = (address: string) => blocks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

test.each([
  ['AWS, Google, Azure, OpenStack', '169.254.169.254'],
  ['AWS, the one of tasks', '169.254.170.2'],
  ['AWS over IPv6', 'fd00:ec2::254'],
  ['Google over IPv6', 'fd20:ce::254'],
  ['Azure, its wire server', '168.63.129.16'],
  ['Alibaba', '100.100.100.200'],
  ['Oracle, the older one', '192.0.0.192'],
  ['a private address', '10.96.0.1'],
  ['another', '172.31.255.255'],
  ['a third', '192.168.0.1'],
  ['a network of tests, which some clusters give to pods', '198.18.0.1'],
  ['a link', 'fe80::1'],
])('what a cloud tells a machine of itself is not the internet: %s', (_, address) =>
  expect(isLeftOut(address)).toBe(true),
);

test.each(['93.184.216.34', '168.63.129.17', '192.0.2.1', '2606:2800:220:1::1'])('%s is', (address) =>
  expect(isLeftOut(address)).toBe(false),
);
