import { expect, test } from 'vitest';
import { ask, settle } from '../../../test/hooks/loop.ts';
import { deploy } from '../../../test/hooks/played.ts';
import { FUNCTION_SETTINGS } from '../../../test/hooks/settings.ts';
import {
  annotate,
  childOf,
  edit,
  key,
  trigger,
  verdict,
  type World,
  world,
} from '../../../test/hooks/world.ts';
import type { KubeObject } from '../kube/object.ts';

/** A function that runs, with a build of its next version under way, in a namespace whose label is then taken off. */
function leftAlone(): World {
  const of = world();
  deploy(of, 1);
  edit(of, { s3Key: key(2) });
  settle(of);
  of.namespaceLabels = { 'sless.dev/tenant': 'yes' };
  return of;
}

const changeChildren = (of: World, change: (child: KubeObject) => KubeObject): void => {
  for (const [id, child] of of.children) of.children.set(id, change(structuredClone(child)));
};

/** What a later release, or another setting, would write into every Deployment. */
const OTHER_SETTINGS = {
  ...FUNCTION_SETTINGS,
  pullSecret: 'another',
  resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } },
};

test('in a namespace that is not enabled nothing is created', () => {
  const of = world({ s3Key: key(1) });
  of.namespaceLabels = {};
  settle(of);
  expect(verdict(of)).toBe('Failed NamespaceNotEnabled');
  expect(of.children.size).toBe(0);
});

test('and nothing is changed or deleted, be it by the spec, a Trigger, a restart, a setting or a release', () => {
  const of = leftAlone();
  const before = JSON.stringify([...of.children]);
  edit(of, { replicas: 5 });
  annotate(of, { 'sless.dev/restart': 'now' });
  of.triggers = [trigger('off', { enabled: false })];
  of.settings = OTHER_SETTINGS;
  settle(of);
  expect(verdict(of)).toBe('Failed NamespaceNotEnabled');
  expect(JSON.stringify([...of.children])).toBe(before);
});

test('what others have changed there stays too', () => {
  const of = leftAlone();
  changeChildren(of, (child) => {
    const spec = child.spec as {
      replicas?: number;
      template?: { spec: { containers: { env?: object[] }[] } };
    };
    if (child.kind === 'Deployment') spec.replicas = 7;
    spec.template?.spec.containers[0]?.env?.push({ name: 'THEIRS', value: '1' });
    return child;
  });
  const specs = () => [...of.children.values()].map(({ spec }) => spec);
  const before = JSON.stringify(specs());
  of.settings = OTHER_SETTINGS;
  settle(of);
  expect(JSON.stringify(specs())).toBe(before);
});

test('what server-side apply keeps no copy of is answered whole, and a copy that somebody wrote is not believed', () => {
  for (const copy of [undefined, '{', '{"kind":"Deployment"}', 'null', '{"spec":{"replicas":0}}']) {
    const of = leftAlone();
    changeChildren(of, (child) => {
      const { 'metacontroller.k8s.io/last-applied-configuration': _, ...annotations } =
        child.metadata.annotations ?? {};
      const more = copy === undefined ? {} : { 'metacontroller.k8s.io/last-applied-configuration': copy };
      return { ...child, metadata: { ...child.metadata, annotations: { ...annotations, ...more } } };
    });
    of.settings = OTHER_SETTINGS;
    const answered = ask(of).children;
    expect(answered.map(({ kind }) => kind).sort()).toEqual(['Deployment', 'Job', 'Service']);
    for (const child of answered) {
      const observed = childOf(of, child.kind);
      expect(child.spec).toEqual(observed?.spec);
      expect(child.metadata.labels).toEqual(observed?.metadata.labels);
    }
  }
});

test('a child of another name, and one that cannot be read, are not left out', () => {
  const of = leftAlone();
  changeChildren(of, (child) =>
    child.kind === 'Job' ? { ...child, metadata: { ...child.metadata, annotations: {} } } : child,
  );
  const service = childOf(of, 'Service');
  if (service === undefined) throw new Error('there is no Service');
  const stray = { ...service, metadata: { ...service.metadata, name: 'stray' } };
  of.children.set('Service ns/stray', stray);
  const names = ask(of).children.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(names).toHaveLength(4);
  expect(names).toContain('Service stray');
});
