import { expect, test } from 'vitest';
import { settle, sync } from '../../../test/hooks/loop.ts';
import { finishBuild, rollOut } from '../../../test/hooks/played.ts';
import { imageOf, key, statusOf, verdict, type World, world } from '../../../test/hooks/world.ts';

/** A Function from its code to Ready, with every parent and every set of children that a lagging cache may still show. */
function history(): { of: World; parents: World['parent'][]; children: World['children'][] } {
  const of = world({ s3Key: key(1) });
  const parents = [of.parent];
  const children = [new Map(of.children)];
  const step = (): void => {
    sync(of);
    parents.push(of.parent);
    children.push(new Map(of.children));
  };
  step();
  step();
  finishBuild(of);
  step();
  step();
  rollOut(of);
  step();
  settle(of);
  return { of, parents, children };
}

test('a parent of any earlier moment beside the newest children makes no Job and loses no version', () => {
  const { of, parents } = history();
  const image = imageOf(of);
  expect(verdict(of)).toBe('Ready Ready');
  for (const stale of parents) {
    of.parent = stale;
    settle(of);
    expect(of.jobsMade).toHaveLength(1);
    expect(imageOf(of)).toBe(image);
    expect(verdict(of)).toBe('Ready Ready');
    expect(statusOf(of).history).toHaveLength(1);
  }
});

test('children of an earlier moment beside the newest parent make no Job either', () => {
  const { of, children } = history();
  const image = imageOf(of);
  const parent = of.parent;
  for (const stale of children) {
    of.parent = parent;
    of.children = new Map(stale);
    sync(of);
    expect(of.jobsMade).toHaveLength(1);
    expect(statusOf(of).image).toBe(image);
  }
});
