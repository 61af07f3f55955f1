import { expect, it } from 'vitest';
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
