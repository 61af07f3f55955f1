import { createHttpInvoker } from '../../src/adapters/http-invoker.ts';
import { createPools } from '../../src/upstream/pool.ts';
import { createReadBuffers } from '../../src/upstream/read-buffers.ts';
import { invokerContract } from './invoker.ts';

invokerContract('http', {
  maxBody: 5_000,
  open: (functions) => {
    const pools = createPools({
      connectTimeoutMs: 1000,
      idleTimeoutMs: 5000,
      now: Date.now,
      random: Math.random,
      buffers: createReadBuffers(),
    });
    const pool = pools.create();
    const locate = (namespace: string, name: string) => {
      const origin = functions.get(`${namespace}/${name}`);
      if (origin === undefined) return undefined;
      const { hostname: address, port } = new URL(origin);
      pool.update([{ id: origin, address, port: Number(port) }]);
      return pool;
    };
    return {
      invoker: createHttpInvoker({ locate }, { maxBody: 5_000 }),
      close: async () => pools.close(),
    };
  },
});
