import { afterEach, expect, test, vi } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { answer, composite, configMapChild, createWorld, type Hook, type World } from './world.ts';

const { Function: FUNCTION, ConfigMap: CONFIG_MAP } = KINDS;

let world: World;
afterEach(() => world.close());

const open = async (sync: Hook, more: object = {}) => {
  const controllers = composite({ parent: ', ignoreStatusChanges: true' });
  world = await createWorld({ controllers, hooks: { '/sync/function': sync }, ...more });
  await world.make(FUNCTION, 'f');
};
const good = { children: [configMapChild('a')], status: { phase: 'Ready' } };

test.each([
  ['a status of 500', answer(500, 'broken'), 'unsupported status 500'],
  ['201 in the place of 200', answer(201, good), 'unsupported status 201'],
  ['an empty body', answer(200, ''), 'no JSON'],
  ['an unknown member', answer(200, { ...good, kinder: [] }), 'kinder'],
  ['a member in the wrong case', answer(200, { Children: [], status: {} }), 'Children'],
  [
    'a child without a kind',
    answer(200, { children: [{ apiVersion: 'v1', metadata: { name: 'x' } }] }),
    'kind',
  ],
  [
    'a child without a name',
    answer(200, { children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }] }),
    'name',
  ],
  ['children that are no list', answer(200, { children: {} }), 'children'],
])('%s fails the sync, writes nothing, and is tried again', async (_, bad, expected) => {
  let asked = 0;
  await open(() => {
    asked += 1;
    return asked < 3 ? bad : good;
  });
  await vi.waitFor(async () =>
    expect((await world.get(FUNCTION, 'f'))?.status).toMatchObject({ phase: 'Ready' }),
  );
  expect(world.warnings).toHaveLength(2);
  expect(world.warnings[0]).toMatch(/^SyncError/);
  expect(world.warnings[0]).toContain(expected);
  await world.idle();
  expect(world.writes).toEqual(['apply ConfigMap a', 'status Function f']);
});

test('a hook that does not answer in time fails the sync', async () => {
  let asked = 0;
  await open(() => {
    asked += 1;
    return asked === 1 ? new Promise(() => undefined) : good;
  });
  await vi.waitFor(async () =>
    expect((await world.get(FUNCTION, 'f'))?.status).toMatchObject({ phase: 'Ready' }),
  );
  expect(world.warnings[0]).toContain('no answer within 500 ms');
});

const pausesOf = () => world.calls.slice(1).map(({ at }, index) => at - (world.calls[index]?.at ?? 0));

test('pauses between failures double from 5 ms up to the bound', async () => {
  await open(() => answer(500), { maxBackoffMs: 20 });
  await vi.waitFor(() => expect(world.calls.length).toBeGreaterThanOrEqual(8));
  for (const [index, pause] of pausesOf().slice(0, 7).entries()) {
    expect(pause).toBeGreaterThanOrEqual(Math.min(5 * 2 ** index, 20) - 2);
  }
  // Without the bound the seventh would be 320 ms.
  expect(pausesOf()[6]).toBeLessThan(300);
});

test('429 puts the parent off by Retry-After, without an error and without a growing pause', async () => {
  let asked = 0;
  await open(() => {
    asked += 1;
    return asked === 1 ? answer(429, {}, { 'retry-after': '1' }) : good;
  });
  await vi.waitFor(() => expect(world.calls.length).toBeGreaterThan(1), { timeout: 3_000 });
  expect((world.calls[1]?.at ?? 0) - (world.calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
  await world.idle();
  expect(world.warnings).toEqual([]);
});

test('429 without a Retry-After that can be read is asked again at once', async () => {
  let asked = 0;
  await open(() => {
    asked += 1;
    return asked < 20 ? answer(429, {}, asked % 2 ? {} : { 'retry-after': 'soon' }) : good;
  });
  await vi.waitFor(() => expect(world.calls.length).toBeGreaterThanOrEqual(20));
  expect((world.calls[19]?.at ?? 0) - (world.calls[0]?.at ?? 0)).toBeLessThan(1_000);
});

test('a null among the children ends the loop, as it ends Metacontroller', async () => {
  await open(() => ({ children: [null], status: {} }));
  await vi.waitFor(() => expect(world.crashes).toHaveLength(1));
  expect(world.crashes[0]?.message).toContain('null');
  const { length } = world.calls;
  await world.make(FUNCTION, 'g');
  await world.loop.idle();
  expect(world.calls).toHaveLength(length);
});

test('events go on bringing syncs while an earlier failure waits for its time', async () => {
  let broken = true;
  await open(() => (broken ? answer(500) : good));
  await vi.waitFor(() => expect(world.calls.length).toBeGreaterThan(7), { timeout: 3_000 });
  broken = false;
  await world.patch(FUNCTION, 'f', { spec: { replicas: 2 } });
  await world.idle();
  expect(await world.get(CONFIG_MAP, 'a')).toBeDefined();
});
