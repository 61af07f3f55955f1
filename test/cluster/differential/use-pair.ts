import { afterAll, beforeAll } from 'vitest';
import { apiServer } from '../api-server.ts';
import { installCrds } from '../crds.ts';
import type { ClusterEnvironment } from '../environment.ts';
import { openPair, type Pair } from './pair.ts';

/** Both clusters for the tests of a `describe`, with the kinds of sless. Nothing is opened where there is no real one. */
export function usePair(environment: ClusterEnvironment | undefined): () => Pair {
  let pair: Pair | undefined;
  beforeAll(async () => {
    const server = apiServer(environment?.kubeconfig ?? '');
    if (environment === undefined || server === undefined) return;
    await installCrds(server);
    server.close();
    pair = await openPair(environment.kubeconfig);
  });
  afterAll(() => pair?.close());
  return () => {
    if (pair === undefined) throw new Error('the clusters are not open');
    return pair;
  };
}
