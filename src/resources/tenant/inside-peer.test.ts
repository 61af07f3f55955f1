import { expect, test } from 'vitest';
import { insidePeer } from './inside-peer.ts';

test.each([
  ['10.98.0.2:5000', [{ block: '10.98.0.2/32', port: 5000 }]],
  ['10.98.0.2/team', [{ block: '10.98.0.2/32' }]],
  ['[fd00::5]:5000', [{ block: 'fd00::5/128', port: 5000 }]],
  ['registry.tools.svc:5000', [{ namespace: 'tools' }]],
  ['registry.tools.svc.cluster.local', [{ namespace: 'tools' }]],
  ['registry.example.org:5000/team', []],
  ['docker.io/library', []],
])('%s', (registry, peers) => expect(insidePeer(registry)).toEqual(peers));
