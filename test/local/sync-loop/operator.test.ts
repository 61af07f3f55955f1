import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOperator } from '../../../src/operator/app.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { silentLogger } from '../../contracts/silent-logger.ts';
import { SETTINGS } from '../../hooks/settings.ts';
import { createWorld, type World } from './world.ts';

const { Function: FUNCTION, Trigger: TRIGGER, Job: JOB, Deployment: DEPLOYMENT, Service: SERVICE } = KINDS;
const folder = join(import.meta.dirname, '../../../metacontroller');

let world: World;
beforeEach(async () => {
  const texts = readdirSync(folder)
    // As local mode does: what tenants' namespaces receive is a cluster's to carry out.
    .filter((name) => name.endsWith('.yaml') && name !== 'tenants.yaml')
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const operator = createOperator({ settings: SETTINGS, clock: Date, logger: silentLogger });
  world = await createWorld({
    controllers: texts.join('\n---\n'),
    callHook: async (path, body, signal) => {
      const headers = { 'content-type': 'application/json' };
      const response = await operator.request(path, { method: 'POST', headers, body, signal });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
  });
  await world.patch(KINDS.Namespace, 'ns', { metadata: { labels: { 'sless.dev/tenant': 'true' } } });
});
afterEach(() => world.close());

const DIGEST = `sha256:${'a'.repeat(64)}`;
const makeFunction = (name: string) =>
  world.make(FUNCTION, name, {
    spec: {
      runtime: 'nodejs20',
      s3Bucket: 'sless',
      s3Key: `contexts/ns/${name}/20260101000000-a.tar.gz`,
      build: 'append',
    },
  });
const jobs = async () => (await world.cluster.list({ kind: JOB, namespace: 'ns' })).items;
const phase = async (name: string) =>
  ((await world.get(FUNCTION, name))?.status as { phase?: string } | undefined)?.phase;

const replicasOf = (deployment: KubeObject | undefined) =>
  (deployment?.spec as { replicas?: number } | undefined)?.replicas;

/** What a builder and the reporter do. */
async function finish(job: KubeObject): Promise<void> {
  const { name } = job.metadata;
  await world.patch(JOB, name, {
    metadata: { annotations: { 'sless.dev/report': JSON.stringify({ digest: DIGEST }) } },
  });
  const condition = { type: 'Complete', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await world.patch(
    JOB,
    name,
    { status: { succeeded: 1, conditions: [condition] } },
    { subresource: 'status' },
  );
}

/** What a Deployment's controller does once all pods are ready. */
async function rollOut(name: string): Promise<void> {
  const deployment = await world.get(DEPLOYMENT, name);
  const replicas = replicasOf(deployment);
  const status = {
    observedGeneration: deployment?.metadata.generation,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    conditions: [{ type: 'Available', status: 'True' }],
  };
  await world.patch(DEPLOYMENT, name, { status }, { subresource: 'status' });
}

async function bringUp(name: string): Promise<void> {
  await makeFunction(name);
  await world.idle();
  const [job] = (await jobs()).filter(
    (candidate) => candidate.metadata.labels?.['sless.dev/function'] === name,
  );
  if (!job) throw new Error(`no Job of ${name}`);
  await finish(job);
  await world.idle();
  await rollOut(name);
  await world.idle();
}

test('a Function becomes a Job, then a Deployment and a Service, and the Job goes when its end is observed', async () => {
  await makeFunction('hello');
  await world.idle();
  expect(await phase('hello')).toBe('Building');
  const [job] = await jobs();
  await finish(job as KubeObject);
  await world.idle();
  expect(await world.get(SERVICE, 'hello')).toBeDefined();
  const deployment = await world.get(DEPLOYMENT, 'hello');
  expect(JSON.stringify(deployment?.spec)).toContain(DIGEST);
  await rollOut('hello');
  await world.idle();
  expect(await phase('hello')).toBe('Ready');
  expect(await jobs()).toEqual([]);
  expect(world.warnings).toEqual([]);
});

test('a Trigger that is disabled scales to nothing and back', async () => {
  await bringUp('hello');
  await world.make(TRIGGER, 'web', { spec: { type: 'http', functionRef: 'hello' } });
  await world.idle();
  const replicas = async () => replicasOf(await world.get(DEPLOYMENT, 'hello'));
  await world.patch(TRIGGER, 'web', { spec: { enabled: false } });
  await world.idle();
  expect(await replicas()).toBe(0);
  await world.patch(TRIGGER, 'web', { spec: { enabled: true } });
  await world.idle();
  expect(await replicas()).toBe(1);
});

test('Functions that are left alone bring neither a call nor a write', { timeout: 60_000 }, async () => {
  for (let count = 0; count < 20; count += 1) await bringUp(`f${count}`);
  const before = { calls: world.calls.length, writes: world.writes.length };
  const versions = async () =>
    (await world.cluster.list({ kind: FUNCTION })).items.map((object) => object.metadata.resourceVersion);
  const known = await versions();
  for (let count = 0; count < 5; count += 1) {
    await world.make(KINDS.ConfigMap, `elsewhere-${count}`);
    await world.idle();
  }
  expect({ calls: world.calls.length, writes: world.writes.length }).toEqual(before);
  expect(await versions()).toEqual(known);
});

test('deleting a Function collects everything it had', async () => {
  await bringUp('hello');
  await world.cluster.delete({ kind: FUNCTION, namespace: 'ns', name: 'hello' });
  await vi.waitFor(async () => {
    expect(await world.get(DEPLOYMENT, 'hello')).toBeUndefined();
    expect(await world.get(SERVICE, 'hello')).toBeUndefined();
  });
  await world.idle();
  expect(world.warnings).toEqual([]);
});
