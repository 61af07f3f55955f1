import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { parseControllers } from '../../src/local/sync-loop/controllers.ts';
import type { CallHook } from '../../src/local/sync-loop/hook.ts';
import { createSyncLoop } from '../../src/local/sync-loop/sync-loop.ts';
import { ALL_KINDS } from '../../src/resources/kube/kinds.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { realCluster } from './adapter.ts';

// The sync loop over a real cluster as a process of its own, so that a test can kill it as it can kill Metacontroller.
const [path = '', operatorUrl = ''] = process.argv.slice(2);
const FOLDER = resolve(import.meta.dirname, '../../metacontroller');

/** Asks the hooks of an operator over HTTP. */
const callHook: CallHook = async (hook, body, signal) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${operatorUrl}${hook}`, { method: 'POST', headers, body, signal });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
};

const texts = readdirSync(FOLDER).map((file) => readFileSync(join(FOLDER, file), 'utf8'));
const { cluster } = realCluster(kubeconfig({ path }));
createSyncLoop(
  { cluster, callHook, clock: Date, logger: createLogger({ level: 'info' }) },
  { controllers: parseControllers(texts, ALL_KINDS), kinds: ALL_KINDS },
).start();
