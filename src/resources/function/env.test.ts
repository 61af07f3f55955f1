import { expect, test } from 'vitest';
import { settle } from '../../../test/hooks/loop.ts';
import { deploy } from '../../../test/hooks/played.ts';
import { childOf, edit, verdict, world } from '../../../test/hooks/world.ts';
import { readServer } from './deployed-server.ts';

test('names that every object of JavaScript has are names like others, in the pod and back', () => {
  const env = { constructor: 'a', toString: '$(b)', hasOwnProperty: '', valueOf: 'd' };
  const of = world({ env });
  deploy(of, 1);
  expect(verdict(of)).toBe('Ready Ready');
  const text = JSON.stringify(childOf(of, 'Deployment')?.spec);
  expect(text).toContain(
    '{"name":"constructor","value":"a"},{"name":"hasOwnProperty"},{"name":"toString","value":"$$(b)"}',
  );
  expect({ ...readServer(childOf(of, 'Deployment'))?.env }).toEqual(env);
});

test('the one name that no object can hold is refused, not lost', () => {
  const of = world();
  deploy(of, 1);
  edit(of, { env: { ['__proto__']: 'x' } });
  settle(of);
  expect(verdict(of)).toBe('Failed InvalidSpec');
});
