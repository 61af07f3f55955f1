import { expect, it } from 'vitest';
import { catalogue } from '../../../../test/hooks/settings.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { requireVersion } from './requested-version.ts';

const version = (key: string, runtimeImage: string) => ({ key, image: 'i', runtimeImage, builtAt: '' });
const history = [
  version('k2', 'r.local:5000/sless-runtime-nodejs20:v1.0.0'),
  version('k1', 'old.local/sless-runtime-python3.11:v0.9.0'),
];
const functionOn = (runtime: string): FunctionObject => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Function',
  metadata: { name: 'f', namespace: 'ns' },
  spec: { runtime },
  status: { history },
});

it('takes a version of the runtime that the function has, whatever release of it', () => {
  expect(() => requireVersion(functionOn('python3.11'), 'k1', catalogue())).not.toThrow();
  expect(() => requireVersion(functionOn('nodejs20'), 'k2', catalogue())).not.toThrow();
});

it('refuses a version of another runtime by its name', () => {
  expect(() => requireVersion(functionOn('nodejs20'), 'k1', catalogue())).toThrow(
    'the version "k1" was built for python3.11, and runtime is nodejs20 now: set runtime back with it',
  );
  expect(() => requireVersion(functionOn('cobol'), 'k1', catalogue())).toThrow(/runtime is cobol now/);
});

it('names the versions that there are', () => {
  expect(() => requireVersion(functionOn('nodejs20'), 'k3', catalogue())).toThrow('there are: k2, k1');
});

it('takes the build that has taken calls, of several of one key', () => {
  const object = functionOn('python3.11');
  const again = { ...version('k1', 'r.local:5000/sless-runtime-python3.11:v1.0.0'), image: 'newer' };
  const served = { ...version('k1', 'r.local:5000/sless-runtime-python3.11:v1.0.0'), served: true };
  const withBoth = { ...object, status: { history: [again, served] } };
  expect(requireVersion(withBoth, 'k1', catalogue())).toBe(served);
});
