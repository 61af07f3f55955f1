import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createEmbeddedCluster } from '../../../src/adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../../src/adapters/embedded-cluster/state-store.ts';
import { isSlessError } from '../../../src/errors.ts';
import type { ControllerCluster } from '../../../src/ports/cluster.ts';
import { KINDS, type Kind } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { silentLogger } from '../silent-logger.ts';
import { normalForm } from './normal-form.ts';
import type { Scenario, Step } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

type Recorded = Readonly<Record<string, readonly unknown[]>>;
const recorded: Recorded = JSON.parse(readFileSync(`${import.meta.dirname}/api-server.golden.json`, 'utf8'));

async function take(
  cluster: ControllerCluster,
  scenario: Scenario,
  step: Step,
): Promise<KubeObject | undefined> {
  const kind = KINDS[scenario.kind as keyof typeof KINDS] as Kind;
  const ref = { kind, namespace: 'recorded', name: scenario.object };
  const body = step.body ?? {};
  switch (step.do) {
    case 'create':
      return cluster.create(body as unknown as KubeObject);
    case 'apply':
      return cluster.apply(body as unknown as KubeObject, step.manager ?? 'metacontroller');
    case 'patch':
      return cluster.patch(ref, body);
    case 'patchStatus':
      return cluster.patch(ref, body, { subresource: 'status' });
    case 'delete':
      await cluster.delete(ref);
      return undefined;
  }
}

async function play(scenario: Scenario): Promise<unknown[]> {
  const cluster = createEmbeddedCluster({ store: createMemoryStore(), clock: Date, logger: silentLogger });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'recorded' } });
  const records: unknown[] = [];
  let version: string | undefined = '';
  for (const step of scenario.steps) {
    try {
      const object = await take(cluster, scenario, step);
      records.push(
        object
          ? { quiet: object.metadata.resourceVersion === version, object: normalForm(object) }
          : { deleted: true },
      );
      version = object?.metadata.resourceVersion ?? version;
    } catch (error) {
      if (!isSlessError(error)) throw error;
      records.push({ error: error.code });
    }
  }
  cluster.close();
  return records;
}

describe('the embedded cluster answers as the recorded API server', () => {
  test.each(SCENARIOS)('$name', async (scenario) => {
    expect(await play(scenario)).toEqual(recorded[scenario.name]);
  });
});
