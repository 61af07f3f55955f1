import { expect, test } from 'vitest';
import { ask, settle } from '../../../test/hooks/loop.ts';
import { deploy, finishBuild } from '../../../test/hooks/played.ts';
import { FUNCTION_SETTINGS } from '../../../test/hooks/settings.ts';
import { childOf, edit, key, kinds, verdict, type World, world } from '../../../test/hooks/world.ts';

/** A function that serves, with its next build under way. */
function building(): World {
  const of = world();
  deploy(of, 1);
  edit(of, { s3Key: key(2) });
  settle(of);
  return of;
}

/** What a later release, or another setting, would write into every child. */
const OTHER_SETTINGS = {
  ...FUNCTION_SETTINGS,
  pullSecret: 'another',
  resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } },
};

test.each([
  ['a rule that it breaks', { replicas: -1 }, 'InvalidSpec'],
  ['an unknown runtime', { runtime: 'cobol' }, 'UnknownRuntime'],
  ['a foreign key', { s3Key: 'contexts/other/f/x.tar.gz' }, 'ForbiddenSource'],
])('on a refused spec no setting and no release changes a child: %s', (_, spec, reason) => {
  const of = building();
  const before = JSON.stringify([...of.children]);
  edit(of, spec);
  of.settings = OTHER_SETTINGS;
  settle(of);
  expect(verdict(of)).toBe(`Failed ${reason}`);
  expect(JSON.stringify([...of.children])).toBe(before);
});

test('a build that cannot be read runs on while the spec is refused', () => {
  const of = building();
  for (const [id, child] of of.children)
    if (child.kind === 'Job')
      of.children.set(id, { ...child, metadata: { ...child.metadata, annotations: {} } });
  edit(of, { replicas: -1 });
  settle(of);
  expect(kinds(of)).toEqual(['Deployment', 'Job', 'Service']);
});

test('a Service that is gone comes back, and a build that ends meanwhile serves once the spec is good', () => {
  const of = building();
  edit(of, { replicas: -1 });
  settle(of);
  for (const id of of.children.keys()) if (id.startsWith('Service')) of.children.delete(id);
  settle(of);
  expect(kinds(of)).toEqual(['Deployment', 'Job', 'Service']);
  finishBuild(of);
  settle(of);
  edit(of, { replicas: 1 });
  settle(of);
  expect(verdict(of)).toBe('Deploying Deploying');
  expect(childOf(of, 'Deployment')?.metadata.annotations?.['sless.dev/built-key']).toBe(key(2));
});

test('of what we wrote the present values are answered, and of what others have added nothing', () => {
  const of = building();
  edit(of, { replicas: -1 });
  for (const [id, child] of of.children) {
    if (child.kind !== 'Deployment') continue;
    const altered = structuredClone(child) as unknown as {
      spec: { replicas: number; paused?: boolean; template: { spec: { containers: { env: object[] }[] } } };
    };
    altered.spec.replicas = 7;
    altered.spec.paused = true;
    altered.spec.template.spec.containers[0]?.env.push({ name: 'THEIRS', value: '1' });
    of.children.set(id, altered as unknown as typeof child);
  }
  const answered = ask(of).children.find(({ kind }) => kind === 'Deployment');
  expect(answered?.spec).toMatchObject({ replicas: 7 });
  expect(answered?.spec).not.toHaveProperty('paused');
  expect(JSON.stringify(answered)).not.toContain('THEIRS');
  settle(of);
  expect(childOf(of, 'Deployment')?.spec).toMatchObject({ replicas: 7, paused: true });
  expect(JSON.stringify(childOf(of, 'Deployment')?.spec)).toContain('THEIRS');
});
