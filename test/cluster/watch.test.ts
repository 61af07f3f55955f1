import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKubernetesCluster } from '../../src/adapters/kubernetes/cluster.ts';
import type { Connection } from '../../src/adapters/kubernetes/connection.ts';
import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { openWatch } from '../../src/adapters/kubernetes/watch-stream.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { listAll, record, told } from '../contracts/cluster/subject.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { type RealCluster, realCluster, relayedCluster } from './adapter.ts';
import { clusterEnvironment } from './environment.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
const path = environment?.kubeconfig ?? '';

describe.skipIf(environment === undefined)('watches of a real API server', () => {
  let real: RealCluster;
  let namespace: string;
  const opened: (() => unknown)[] = [];
  beforeAll(() => {
    real = realCluster(kubeconfig({ path }));
  });
  afterAll(() => real.connection.close());
  beforeEach(async () => {
    namespace = `sless-watch-${randomBytes(5).toString('hex')}`;
    await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
    await real.cluster.delete({ kind: KINDS.Namespace, name: namespace });
  });

  const query = () => ({ kind: KINDS.ConfigMap, namespace, labels: { of: 'test' } });
  const make = (name: string) =>
    real.cluster.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels: { of: 'test' } },
    });
  const relayed = async (options: Parameters<typeof relayedCluster>[1]) => {
    const behind = await relayedCluster(path, options);
    opened.push(
      () => behind.connection.close(),
      () => behind.relay.close(),
    );
    return behind;
  };
  const watched = (cluster: RealCluster['cluster']) => {
    const watch = record(cluster, query());
    opened.push(() => watch.close());
    return watch;
  };
  const heard = (watch: ReturnType<typeof record>, last: string) =>
    waitFor({
      for: `a watch that ends with "${last}"`,
      look: () => told(watch.events),
      holds: (all) => all.at(-1) === last,
    });

  test('while connections break all the time, every object is told', async () => {
    const { cluster, relay } = await relayed({ minBackoffMs: 20, maxBackoffMs: 50 });
    const watch = watched(cluster);
    await heard(watch, 'synced ()');
    for (let round = 0; round < 60; round++) {
      await make(`c-${round}`);
      if (round % 6 === 0) relay.cut();
    }
    const listed = (await listAll(real.cluster, query())).map(({ metadata }) => metadata.name);
    await waitFor({
      for: 'a watch that knows all that is listed',
      look: () => [...watch.known.values()].map(({ metadata }) => metadata.name).sort(),
      holds: (names) => names.join() === listed.join(),
    });
    expect(listed).toHaveLength(60);
    expect(relay.accepted()).toBeGreaterThan(5);
  });

  test('a half-open connection is found, and what was missed is told', async () => {
    const { cluster, relay } = await relayed({ silenceMs: 2_000 });
    const watch = watched(cluster);
    await heard(watch, 'synced ()');
    await make('before');
    await heard(watch, 'applied before');
    relay.mute();
    await make('unheard');
    await heard(watch, 'applied unheard');
    expect(told(watch.events)).toEqual(['synced ()', 'applied before', 'applied unheard']);
  });

  test('streams that the server ends are taken up without a word', async () => {
    const { cluster } = await relayed({ streamSeconds: 1 });
    const watch = watched(cluster);
    await heard(watch, 'synced ()');
    for (const name of ['a', 'b', 'c']) {
      await sleep(1_500);
      await make(name);
      await heard(watch, `applied ${name}`);
    }
    expect(told(watch.events)).toEqual(['synced ()', 'applied a', 'applied b', 'applied c']);
  });

  test('a version that is too old is Gone', async () => {
    const changes = async () => {
      const { signal } = new AbortController();
      const request = { version: '1', timeoutSeconds: 10, silenceMs: 0, signal };
      for await (const _ of await openWatch(real.connection, query(), request));
    };
    await expect(changes()).rejects.toMatchObject({ code: 'Gone' });
  });

  test('after Gone everything is listed anew, and nothing is lost', async () => {
    let tooOld = false;
    const connection: Connection = {
      ...real.connection,
      stream: (request, options) => {
        const version = tooOld ? '1' : request.query?.resourceVersion;
        tooOld = false;
        return real.connection.stream(
          { ...request, query: { ...request.query, resourceVersion: version } },
          options,
        );
      },
    };
    const deps = { connection, logger: silentLogger, clock: Date, random: () => 0 };
    const watch = watched(createKubernetesCluster(deps, { watch: { streamSeconds: 1 } }));
    await heard(watch, 'synced ()');
    tooOld = true;
    await make('a');
    await heard(watch, 'synced (a)');
    await make('b');
    await heard(watch, 'applied b');
    expect(told(watch.events)).not.toContain('lost');
  });

  test('a list in pages is one snapshot', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await make(name);
    const { cluster } = await relayed({ pageSize: 2 });
    const watch = watched(cluster);
    await heard(watch, 'synced (a b c d e)');
  });

  test.skipIf(!environment?.soak)(
    'a quiet stream carries a bookmark about once a minute',
    { timeout: 200_000 },
    async () => {
      const { items } = await real.cluster.list(query());
      expect(items).toEqual([]);
      const made = await make('a');
      const startedAt = Date.now();
      const { signal } = new AbortController();
      const version = made.metadata.resourceVersion ?? '';
      const request = { version, timeoutSeconds: 180, silenceMs: 150_000, signal };
      const at: number[] = [];
      for await (const change of await openWatch(real.connection, query(), request)) {
        if (change.type === 'bookmark') at.push(Date.now() - startedAt);
        if (at.length === 2) break;
      }
      console.info(`bookmarks after ${at.map((ms) => Math.round(ms / 1000)).join(' and ')} s`);
      expect(at[1]! - at[0]!).toBeLessThan(100_000);
    },
  );
});
