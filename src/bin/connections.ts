import type { Config } from '../config/config.ts';
import { createPeers } from '../gateway/caller/peers.ts';
import type { ConnectionLimits } from '../gateway/entrance/connections.ts';

/** What an installation says of the connections of a server. */
export function connectionLimits(config: Config): ConnectionLimits {
  const { connectionsTotal: total, trustedProxies = [] } = config;
  return { total, peerOf: createPeers(trustedProxies).peerOf };
}
