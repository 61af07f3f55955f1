import { expect, test } from 'vitest';
import type { FunctionObject } from '../../../src/resources/function/schema.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { controllerOf } from '../../../src/resources/kube/object.ts';
import { waitFor } from '../wait-for.ts';
import { declareFunction, said } from './served-function.ts';
import type { Stage } from './stage.ts';

/** Names that are used again, and what remains of what had them. */
export function namesAgain(stage: Stage): void {
  test('a function made again under its name at once has its own children and inherits nothing', async () => {
    const fn = await declareFunction(stage);
    const { namespace, name } = fn;
    await fn.serve('old');
    const key = await fn.serve('again');
    const { metadata, spec } = (await stage.admin.get('function', name, '-n', namespace)) as FunctionObject;
    const child = () => stage.real.cluster.get({ kind: KINDS.Deployment, namespace, name });
    const before = (await child())?.metadata.uid;
    await stage.admin.run(['delete', 'function', name, '-n', namespace]);
    // As somebody does who has kept the YAML.
    const { annotations = {} } = metadata;
    const { apiVersion, kind } = KINDS.Function;
    await stage.admin.apply({ apiVersion, kind, metadata: { name, namespace, annotations }, spec });
    const startedAt = Date.now();
    await waitFor({
      for: 'a Job of its own',
      timeoutMs: 30_000,
      look: () => fn.jobs.all(),
      holds: (jobs) => jobs.length === 3,
    });
    await fn.ready(key);
    await fn.answers(200, said('again'));
    console.info(`${stage.driver}: made again and ready after ${(Date.now() - startedAt) / 1000} s`);
    const made = await stage.real.cluster.get({ kind: KINDS.Function, namespace, name });
    const deployment = await child();
    expect(deployment?.metadata.uid).not.toBe(before);
    expect(deployment && controllerOf(deployment)?.uid).toBe(made?.metadata.uid);
    expect((made as FunctionObject | undefined)?.status?.history).toHaveLength(1);
    expect(fn.jobs.all()).toHaveLength(3);
  });

  test('what is deleted leaves nothing behind, of whatever kind', async () => {
    const tenant = await stage.tenant();
    const { namespace } = tenant;
    const kinds = await stage.admin.run(['api-resources', '--verbs=list', '--namespaced', '-o', 'name']);
    const listed = kinds.split('\n').filter((kind) => kind !== '' && !kind.startsWith('events'));
    const everything = async () => {
      const names = await stage.admin.run(['get', listed.join(','), '-n', namespace, '-o', 'name']);
      return names.split('\n').filter((line) => line !== '');
    };
    await waitFor({
      for: 'what every namespace has',
      look: everything,
      holds: (names) =>
        names.includes('configmap/kube-root-ca.crt') && names.includes('serviceaccount/default'),
    });
    const before = await everything();
    const fn = await declareFunction(stage, { tenant, name: 'gone' });
    await fn.serve('soon');
    const trigger = (name: string, spec: object) => ({
      apiVersion: 'sless.dev/v1alpha1',
      kind: 'Trigger',
      metadata: { name, namespace },
      spec: { functionRef: 'gone', ...spec },
    });
    await stage.admin.apply(
      trigger('nightly', { type: 'cron', schedule: '0 3 * * *' }),
      trigger('orders', { type: 'event', queue: 'orders' }),
      {
        apiVersion: 'sless.dev/v1alpha1',
        kind: 'FunctionJob',
        metadata: { name: 'migrate', namespace },
        spec: { functionRef: 'gone' },
      },
    );
    // Half a build, too: its Job and pod must go as well.
    await fn.upload('later');
    expect((await everything()).length).toBeGreaterThan(before.length + 5);
    await stage.admin.run(['delete', 'functions,triggers,functionjobs', '--all', '-n', namespace]);
    await waitFor({
      for: 'nothing but what was there before',
      timeoutMs: 150_000,
      intervalMs: 1_000,
      look: everything,
      holds: (names) => names.join() === before.join(),
    });
  });
}
