import { expect, test } from 'vitest';
import { settle } from '../../../test/hooks/loop.ts';
import { deploy, finishBuild } from '../../../test/hooks/played.ts';
import { annotate, childOf, edit, key, statusOf, world } from '../../../test/hooks/world.ts';

test('status says which rebuild it has seen, be the spec refused meanwhile or the request taken back', () => {
  const of = world();
  deploy(of, 1);
  edit(of, { runtime: 'cobol' });
  annotate(of, { 'sless.dev/rebuild': 'r1' });
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Failed', rebuild: 'r1' });
  annotate(of, { 'sless.dev/rebuild': null });
  settle(of);
  expect(statusOf(of).rebuild).toBeUndefined();
});

test('a restart annotation restarts the pods and nothing else', () => {
  const of = world();
  deploy(of, 1);
  annotate(of, { 'sless.dev/restart': '2026-01-02T03:04:05Z' });
  settle(of);
  expect(childOf(of, 'Deployment')?.spec).toMatchObject({
    template: { metadata: { annotations: { 'sless.dev/restart': '2026-01-02T03:04:05Z' } } },
  });
  expect(of.jobsMade).toHaveLength(1);
  expect(of.parent.status).toMatchObject({ restart: '2026-01-02T03:04:05Z' });
});

test('an annotation of enormous size is not copied into children or status', () => {
  const of = world({ s3Key: key(1) });
  annotate(of, { 'sless.dev/rebuild': 'x'.repeat(100_000), 'sless.dev/restart': 'y'.repeat(100_000) });
  settle(of);
  finishBuild(of);
  settle(of);
  expect(JSON.stringify([...of.children.values(), of.parent.status]).length).toBeLessThan(30_000);
});
