import { expect, test } from 'vitest';
import { KINDS, type Kind } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { makeNamespace } from '../namespace.ts';
import { waitFor } from '../wait-for.ts';
import { declareFunction } from './served-function.ts';
import type { Stage } from './stage.ts';

/** Objects of other people that have a function's name. */
export function namesakes(stage: Stage): void {
  const byHand = (kind: Kind, namespace: string, name: string): KubeObject => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace, labels: { made: 'by-hand' } },
    spec:
      kind === KINDS.Service
        ? { ports: [{ name: 'own', port: 6379 }], selector: { app: name } }
        : {
            replicas: 0,
            selector: { matchLabels: { app: name } },
            template: {
              metadata: { labels: { app: name } },
              spec: { containers: [{ name: 'own', image: 'busybox' }] },
            },
          },
  });
  /** Makes it, and waits until its own controller has looked at it. */
  const make = async (kind: Kind, namespace: string, name: string): Promise<KubeObject> => {
    await stage.real.cluster.create(byHand(kind, namespace, name));
    const found = await waitFor({
      for: `${kind.kind} ${name} looked at`,
      look: () => stage.real.cluster.get({ kind, namespace, name }),
      holds: (object) =>
        kind === KINDS.Service ||
        (object?.status as { observedGeneration?: number } | undefined)?.observedGeneration === 1,
    });
    if (found === undefined) throw new Error(`${name} is not there`);
    return found;
  };
  const expectUntouched = async (kind: Kind, before: KubeObject) => {
    const { namespace = '', name } = before.metadata;
    expect(await stage.real.cluster.get({ kind, namespace, name })).toEqual(before);
  };

  test('a Deployment that is not ours stays untouched, and the status says what is in the way', async () => {
    const tenant = await stage.tenant();
    const before = await make(KINDS.Deployment, tenant.namespace, 'taken');
    const fn = await declareFunction(stage, { tenant, name: 'taken' });
    await fn.upload('never');
    const { message } = await fn.until('why there are no pods', ({ conditions }) =>
      conditions.some(({ type, reason }) => type === 'Ready' && reason === 'ChildNotApplied'),
    );
    expect(message).toContain('Deployment taken');
    await expectUntouched(KINDS.Deployment, before);
    await tenant.call('DELETE', '/functions/taken');
    await expectUntouched(KINDS.Deployment, before);
  });

  test('a Service that is not ours stays untouched, unless server-side apply takes it over', async () => {
    const tenant = await stage.tenant();
    const before = await make(KINDS.Service, tenant.namespace, 'taken');
    const fn = await declareFunction(stage, { tenant, name: 'taken' });
    const key = await fn.upload('perhaps');
    if (stage.driver === 'dynamic-apply') {
      const { message } = await fn.until('what is in the way', ({ conditions }) =>
        conditions.some(({ type, reason }) => type === 'Ready' && reason === 'ChildNotApplied'),
      );
      expect(message).toContain('Service taken');
      return expectUntouched(KINDS.Service, before);
    }
    // What the choice of that strategy costs; the loop applies as it does. Nothing that a hook answers can prevent it.
    await fn.ready(key);
    const { namespace } = tenant;
    const after = await stage.real.cluster.get({ kind: KINDS.Service, namespace, name: 'taken' });
    expect(after?.metadata.ownerReferences).toHaveLength(1);
    expect(after?.metadata.labels).toMatchObject({ made: 'by-hand' });
  });

  test('where sless is not enabled nothing is touched, be a Function named kubernetes', async () => {
    const { name: namespace, drop } = await makeNamespace(stage.admin);
    stage.cleanup.add(`namespace ${namespace}`, drop);
    const service = await make(KINDS.Service, namespace, 'kubernetes');
    const deployment = await make(KINDS.Deployment, namespace, 'kubernetes');
    await stage.admin.apply({
      apiVersion: 'sless.dev/v1alpha1',
      kind: 'Function',
      metadata: { name: 'kubernetes', namespace },
      spec: { runtime: 'python3.11', s3Key: `contexts/${namespace}/kubernetes/1.tar.gz`, build: 'append' },
    });
    await waitFor({
      for: 'NamespaceNotEnabled',
      look: () => stage.real.cluster.get({ kind: KINDS.Function, namespace, name: 'kubernetes' }),
      holds: (object) => JSON.stringify(object?.status ?? {}).includes('"NamespaceNotEnabled"'),
    });
    await expectUntouched(KINDS.Service, service);
    await expectUntouched(KINDS.Deployment, deployment);
    expect((await stage.real.cluster.list({ kind: KINDS.Job, namespace })).items).toEqual([]);
  });
}
