/**
 * The proxy as users run it: routing from a watch, limits and counts on. The arguments are the port of the function, and the
 * URL of a database where calls are to be recorded.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openPostgresInvocationLog } from '../../src/adapters/invocation-log/postgres.ts';
import { SERVER_OPTIONS } from '../../src/gateway/entrance/server.ts';
import { belongsToProxy } from '../../src/gateway/proxy/belongs.ts';
import { createProxy } from '../../src/gateway/proxy/proxy.ts';
import { listenWith } from '../../src/gateway/proxy/server.ts';
import { createRecordedLog } from '../../src/invocations/recorded-log.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createFakeCluster } from '../../test/proxy/fake-cluster.ts';
import { fn, slice, tenant, trigger } from '../../test/proxy/objects.ts';

const [, , pod, databaseUrl] = process.argv;
const cluster = createFakeCluster();
cluster.apply(tenant('bench'));
// A table with one route would flatter the look-up.
for (let i = 0; i < 500; i += 1) cluster.apply(fn('bench', `other-${i}`), trigger('bench', `other-${i}`));
cluster.apply(fn('bench', 'hello'), trigger('bench', 'hello'));
cluster.apply(slice('bench', 'hello', [{ port: Number(pod) }]));

const logger = createLogger({ level: 'info' });
const calls =
  databaseUrl === undefined
    ? undefined
    : createRecordedLog(openPostgresInvocationLog({ url: databaseUrl, logger }), { clock: Date, logger });
const proxy = createProxy({ cluster, logger, monotonic: performance, random: Math.random, calls }, {});
const server = createServer(SERVER_OPTIONS);
listenWith(server, {
  proxy,
  belongs: (request) => belongsToProxy(request, {}),
  otherwise: (_, response) => response.writeHead(404).end(),
});
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
process.stdin.on('end', () => void (calls?.close() ?? Promise.resolve()).then(() => process.exit())).resume();
