import { expect, test } from 'vitest';
import { ask, settle } from '../../../test/hooks/loop.ts';
import { deploy, finishBuild, rollOut } from '../../../test/hooks/played.ts';
import {
  childOf,
  edit,
  key,
  replicasOf,
  statusOf,
  verdict,
  type World,
  world,
} from '../../../test/hooks/world.ts';
import type { KubeObject } from '../kube/object.ts';

interface Container {
  env: { name: string; value?: string; valueFrom?: object }[];
  envFrom?: { secretRef: { name: string } }[];
  resources: { limits?: Record<string, string>; requests?: Record<string, string> };
}

const containerIn = (deployment: KubeObject | undefined): Container => {
  const spec = deployment?.spec as { template: { spec: { containers: Container[] } } } | undefined;
  const container = spec?.template.spec.containers[0];
  if (container === undefined) throw new Error('there is no container');
  return container;
};
const variables = (of: World) =>
  Object.fromEntries(containerIn(childOf(of, 'Deployment')).env.map(({ name, value = '' }) => [name, value]));

/** As `kubectl set env` and `kubectl set resources` do it. */
function alter(of: World, change: (container: Container) => void): void {
  for (const [id, child] of of.children) {
    if (child.kind !== 'Deployment') continue;
    const altered = structuredClone(child);
    change(containerIn(altered));
    const generation = (child.metadata.generation ?? 1) + 1;
    of.children.set(id, { ...altered, metadata: { ...altered.metadata, generation } });
  }
}

function altered(): World {
  const of = world({ env: { OURS: 'a', GONE: 'b' } });
  deploy(of, 1);
  alter(of, ({ env, resources }) => {
    env.push({ name: 'RELOADED_AT', value: '12:00' });
    resources.limits = { ...resources.limits, 'ephemeral-storage': '1Gi' };
  });
  settle(of);
  rollOut(of);
  settle(of);
  return of;
}

test('a variable and an amount that others have put into the Deployment do not keep it from being Ready', () => {
  const of = altered();
  expect(variables(of)).toMatchObject({ OURS: 'a', RELOADED_AT: '12:00' });
  expect(verdict(of)).toBe('Ready Ready');
});

test('while the spec is refused they are not taken for ours', () => {
  const of = altered();
  edit(of, { replicas: -1 });
  settle(of);
  expect(verdict(of)).toBe('Failed InvalidSpec');
  const answered = childOf(of, 'Deployment')?.metadata.annotations ?? {};
  expect(answered['sless.dev/owned']).toMatch(/^env\.GONE env\.OURS limits\.\S+ [^E]*$/);
  const copy = JSON.parse(answered['metacontroller.k8s.io/last-applied-configuration'] ?? '{}');
  expect(containerIn(copy).env.map(({ name }) => name)).not.toContain('RELOADED_AT');
  expect(answered['sless.dev/owned']).not.toContain('ephemeral-storage');
  expect(containerIn(copy).resources.limits).not.toHaveProperty('ephemeral-storage');
});

test('what we take away or change is waited for as ever', () => {
  const of = altered();
  edit(of, { env: { OURS: 'c' }, replicas: 2 });
  settle(of);
  expect(variables(of)).toMatchObject({ OURS: 'c', RELOADED_AT: '12:00' });
  expect(variables(of)).not.toHaveProperty('GONE');
  expect(replicasOf(of)).toBe(2);
  expect(verdict(of)).toBe('Deploying Deploying');
  rollOut(of);
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
});

test('a variable of ours that somebody else changed is put back', () => {
  const of = altered();
  alter(of, ({ env }) => {
    for (const variable of env) if (variable.name === 'OURS') variable.value = 'theirs';
  });
  settle(of);
  expect(variables(of).OURS).toBe('a');
});

test('a Deployment of a release that did not say what is ours is taken as a whole, and says it from then on', () => {
  const of = world({ env: { OURS: 'a' } });
  deploy(of, 1);
  for (const [id, child] of of.children) {
    const annotations = Object.entries(child.metadata.annotations ?? {}).filter(
      ([name]) => name !== 'sless.dev/owned',
    );
    of.children.set(id, {
      ...child,
      metadata: { ...child.metadata, annotations: Object.fromEntries(annotations) },
    });
  }
  edit(of, { replicas: 2 });
  settle(of);
  expect(variables(of)).toMatchObject({ OURS: 'a' });
  expect(childOf(of, 'Deployment')?.metadata.annotations).toMatchObject({
    'sless.dev/owned': expect.stringContaining('env.OURS'),
  });
});

const secretsIn = (of: World) =>
  containerIn(childOf(of, 'Deployment')).envFrom?.map(({ secretRef }) => secretRef.name);

test('a Secret that others have put into the Deployment is neither waited for nor taken for ours', () => {
  const of = world();
  deploy(of, 1);
  alter(of, (container) => {
    container.envFrom = [{ secretRef: { name: 'theirs' } }];
  });
  settle(of);
  rollOut(of);
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
  for (const replicas of [-1, 1]) {
    edit(of, { replicas });
    settle(of);
    expect(secretsIn(of)).toEqual(['theirs']);
    expect(childOf(of, 'Deployment')?.metadata.annotations?.['sless.dev/owned']).not.toContain('theirs');
  }
  expect(verdict(of)).toBe('Ready Ready');
});

/** What something in the cluster makes of the Deployment each time that it is written: the hook is asked, and its children come to nothing. */
function insist(of: World, change: (container: Container) => void): void {
  alter(of, change);
  rollOut(of);
  const { status } = ask(of);
  of.parent = { ...of.parent, status };
}

test.each<[string, (container: Container) => void, string]>([
  [
    'a variable is one from elsewhere',
    ({ env }) => {
      const variable = env.find(({ name }) => name === 'OURS');
      delete variable?.value;
      if (variable !== undefined) variable.valueFrom = { configMapKeyRef: { name: 'c', key: 'k' } };
    },
    'env.OURS',
  ],
  [
    'an amount is another',
    ({ resources }) => {
      resources.limits = { ...resources.limits, memory: '1Gi' };
    },
    'limits.memory',
  ],
  [
    'a Secret is missing',
    (container) => {
      delete container.envFrom;
    },
    'secrets',
  ],
  ['nothing can be read', ({ env }) => env.splice(0), 'its container'],
])('what something in the cluster insists on is said after a minute: %s', (_, change, part) => {
  const of = world({ env: { OURS: 'a' }, secrets: ['fn-a'] });
  deploy(of, 1);
  insist(of, change);
  expect(verdict(of)).toBe('Deploying Deploying');
  expect(ask(of).resyncAfterSeconds).toBe(5);
  of.now += 61_000;
  insist(of, () => {});
  expect(verdict(of)).toBe('Failed ChildNotApplied');
  expect(statusOf(of).message).toContain(`Deployment hello (${part})`);
  settle(of);
  if (part !== 'env.OURS') {
    rollOut(of);
    settle(of);
    expect(verdict(of)).toBe('Ready Ready');
  }
});

test('a version whose pods take calls serves, though something insists on another amount', () => {
  const of = world();
  deploy(of, 1);
  edit(of, { s3Key: key(2) });
  settle(of);
  finishBuild(of, `sha256:${'2'.repeat(64)}`);
  settle(of);
  insist(of, ({ resources }) => {
    resources.limits = { ...resources.limits, memory: '1Gi' };
  });
  expect(verdict(of)).toBe('Deploying Deploying');
  expect(statusOf(of).serving?.key).toBe(key(2));
});
