import { expect, test } from 'vitest';
import { UNSEEN_STATUS } from '../../../src/resources/definitions.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { configMap, functionObject, refTo, refusal, type Scene } from './subject.ts';

/** The status and what is wanted are written apart. */
export function statusContract(scene: () => Scene): void {
  const make = async () => {
    const made = await scene().cluster.create(functionObject(scene(), 'f'));
    return { made, ref: refTo(KINDS.Function, made) };
  };

  // The CRD's default stands wherever there is no status at all, in answers as in what is read later; it fills in nothing beside others.
  test('a create and a plain patch leave the status alone', async () => {
    const { cluster } = scene();
    const made = await cluster.create({ ...functionObject(scene(), 'f'), status: { phase: 'Ready' } });
    expect(made.status).toEqual(UNSEEN_STATUS);
    const ref = refTo(KINDS.Function, made);
    const first = await cluster.patch(ref, { status: { phase: 'Ready' } });
    expect(first.status).toEqual(UNSEEN_STATUS);
    const second = await cluster.patch(ref, { status: { phase: 'Ready' } });
    expect(second).toEqual(first);
  });

  test('the first write of any kind writes that default down: a new version of the same generation, once', async () => {
    const { made, ref } = await make();
    const first = await scene().cluster.patch(ref, {});
    expect(first.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
    const { resourceVersion: _, ...metadata } = first.metadata;
    expect({ ...first, metadata }).toEqual({ ...made, metadata: expect.objectContaining(metadata) });
    expect(await scene().cluster.patch(ref, {})).toEqual(first);
  });

  test('a patch of the status leaves the spec and the generation alone', async () => {
    const { made, ref } = await make();
    const change = { status: { phase: 'Ready' }, spec: { replicas: 9 } };
    const patched = await scene().cluster.patch(ref, change, { subresource: 'status' });
    expect(patched.status).toEqual({ ...UNSEEN_STATUS, phase: 'Ready' });
    expect(patched.spec).toEqual(made.spec);
    expect(patched.metadata.generation).toBe(1);
    expect(patched.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
  });

  test('replacing the status replaces it whole', async () => {
    const { cluster } = scene();
    const { made, ref } = await make();
    const first = await cluster.replaceStatus({ ...made, status: { phase: 'Building', message: 'x' } });
    const second = await cluster.replaceStatus({
      ...first,
      spec: { runtime: 'other' },
      status: { phase: 'Ready' },
    });
    expect(second.status).toEqual({ phase: 'Ready' });
    expect(second.spec).toEqual(made.spec);
    expect(await cluster.get(ref)).toEqual(second);
    const again = await cluster.replaceStatus(second);
    expect(again.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
  });

  test('replacing the status of a version that is not the current one is a Conflict', async () => {
    const { cluster } = scene();
    const { made, ref } = await make();
    await cluster.patch(ref, { metadata: { labels: { a: 'b' } } });
    await refusal('Conflict', cluster.replaceStatus({ ...made, status: { phase: 'Ready' } }));
    expect((await cluster.get(ref))?.status).toEqual(UNSEEN_STATUS);
  });

  test('a status that is taken away leaves the one that no hook has seen', async () => {
    const { cluster } = scene();
    const { made, ref } = await make();
    const first = await cluster.replaceStatus({ ...made, status: { phase: 'Ready', observedGeneration: 1 } });
    const { status: _, ...without } = first;
    const second = await cluster.replaceStatus(without);
    expect(second.status).toEqual(UNSEEN_STATUS);
    expect(await cluster.get(ref)).toEqual(second);
    await cluster.replaceStatus({ ...second, status: { phase: 'Ready' } });
    const patched = await cluster.patch(ref, { status: null }, { subresource: 'status' });
    expect(patched.status).toEqual(UNSEEN_STATUS);
  });

  test('a status that the schema refuses is Invalid', async () => {
    const { made, ref } = await make();
    await refusal('Invalid', scene().cluster.replaceStatus({ ...made, status: { phase: 'Happy' } }));
    await refusal(
      'Invalid',
      scene().cluster.patch(ref, { status: { replicas: 'two' } }, { subresource: 'status' }),
    );
  });

  test('a kind without a status has none to write', async () => {
    const { cluster } = scene();
    const ref = refTo(KINDS.ConfigMap, await cluster.create(configMap(scene(), 'a')));
    await expect(cluster.patch(ref, { status: { a: 1 } }, { subresource: 'status' })).rejects.toThrow();
  });
}
