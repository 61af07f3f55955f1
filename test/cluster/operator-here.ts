import { createOperator } from '../../src/operator/app.ts';
import { serveOperator } from '../../src/operator/server.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { SETTINGS } from '../hooks/settings.ts';
import { type HookTap, openHookTap } from './hook-tap.ts';

/** An operator in this process with the settings of the unit tests, for what is about objects alone. */
export async function operatorHere(): Promise<HookTap> {
  const app = createOperator({ settings: SETTINGS, clock: Date, logger: silentLogger });
  const server = await serveOperator(app, { host: '127.0.0.1', port: 0 }, silentLogger);
  const tap = await openHookTap(`http://127.0.0.1:${server.port}`);
  return {
    ...tap,
    close: async () => {
      await tap.close();
      await server.drain.close(0);
    },
  };
}
