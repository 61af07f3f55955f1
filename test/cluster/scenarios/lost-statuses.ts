import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { startLoad } from '../load.ts';
import { declareFunction, said } from './served-function.ts';
import type { Stage } from './stage.ts';

const WIPE = JSON.stringify([{ op: 'replace', path: '/status', value: {} }]);

/** A restored backup has no statuses. */
export function lostStatuses(stage: Stage): void {
  test('with all statuses wiped everything serves on, and nothing is built', async () => {
    const fn = await declareFunction(stage);
    const key = await fn.serve('kept');
    const { image } = await fn.shown();
    const ref = { kind: KINDS.Deployment, namespace: fn.namespace, name: fn.name };
    const before = (await stage.real.cluster.get(ref))?.metadata;
    const load = startLoad(fn.url);
    for (const kind of ['function', 'trigger']) {
      const target = [kind, fn.name, '-n', fn.namespace];
      await stage.admin.run(['patch', ...target, '--subresource=status', '--type=json', '-p', WIPE]);
      // A change of status wakes nobody, by its settings; whatever comes next does.
      await stage.admin.run(['annotate', ...target, 'example.com/restored=yes']);
    }
    expect(await fn.ready(key)).toMatchObject({ image });
    const after = (await stage.real.cluster.get(ref))?.metadata;
    expect(after).toMatchObject({ uid: before?.uid, generation: before?.generation });
    await fn.answers(200, said('kept'));
    expect((await load.stop()).failed).toEqual([]);
    expect(fn.jobs.all()).toHaveLength(1);
    await fn.serve('next');
    expect(fn.jobs.all()).toHaveLength(2);
  });
}
