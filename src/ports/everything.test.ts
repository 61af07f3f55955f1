import { expect, it } from 'vitest';
import { SlessError } from '../errors.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import type { Page } from './cluster.ts';
import { everything } from './everything.ts';

const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } });

it('goes on to the last page, over pages that are empty', async () => {
  const pages: Record<string, Page> = {
    '': { items: [object('a')], next: '1' },
    '1': { items: [], next: '2' },
    '2': { items: [object('b'), object('c')] },
  };
  const asked: unknown[] = [];
  const list = async (query: unknown, { cursor = '' } = {}) => {
    asked.push(query);
    return pages[cursor] ?? { items: [] };
  };
  const query = { kind: KINDS.Pod, namespace: 'n' };
  const names = (await everything({ list }, query)).map(({ metadata }) => metadata.name);
  expect(names).toEqual(['a', 'b', 'c']);
  expect(asked).toEqual([query, query, query]);
});

it('begins anew when its cursor has become too old, and gives up on a list that never ends', async () => {
  let tooOld = 1;
  const list = async (_query: unknown, { cursor }: { cursor?: string } = {}): Promise<Page> => {
    if (cursor === undefined) return { items: [object('a')], next: '1' };
    tooOld -= 1;
    if (tooOld >= 0) throw new SlessError('Gone', 'the cursor is too old');
    return { items: [object('b')] };
  };
  const query = { kind: KINDS.Pod };
  expect((await everything({ list }, query)).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  tooOld = 100;
  await expect(everything({ list }, query)).rejects.toMatchObject({ code: 'Unavailable' });
});
