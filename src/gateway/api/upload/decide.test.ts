import { expect, it } from 'vitest';
import type { FunctionObject, FunctionStatus } from '../../../resources/function/schema.ts';
import { decideUpload } from './decide.ts';

const hash = 'abcdef0123456789'.padEnd(64, '0');
const other = '9876543210fedcba'.padEnd(64, '0');
const keyOf = (content: string, time = '20260101000000') =>
  `contexts/ns/f/${time}-${content.slice(0, 16)}.tar.gz`;
const content = { hash, runtimeImage: 'sless-runtime-python3.11' };
const entry = (key: string, runtimeImage = 'r.local:5000/x/sless-runtime-python3.11:v0.1.0') => ({
  key,
  image: 'i',
  runtimeImage,
  builtAt: '2026-01-01T00:00:00Z',
});
const functionWith = (s3Key: string | undefined, status: FunctionStatus = {}): FunctionObject => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Function',
  metadata: { name: 'f', namespace: 'ns' },
  spec: { runtime: 'python3.11', ...(s3Key === undefined ? {} : { s3Key }) },
  status,
});

it('stores what is new', () => {
  expect(decideUpload(functionWith(undefined), content)).toEqual({ action: 'store' });
  expect(decideUpload(functionWith(keyOf(other)), content)).toEqual({ action: 'store' });
});

it('waits for the build of what is wanted already', () => {
  const key = keyOf(hash);
  expect(decideUpload(functionWith(key), content)).toEqual({ action: 'wait', key });
  const building = functionWith(key, { build: { key, job: 'j' } });
  expect(decideUpload(building, content)).toEqual({ action: 'wait', key });
});

it('tries a failed build of the same content again, even where an earlier one was good', () => {
  const key = keyOf(hash);
  const failed = { build: { key, job: 'j', uid: 'u', reason: 'BuildFailed' } };
  expect(decideUpload(functionWith(key, failed), content)).toEqual({ action: 'retry', key });
  expect(decideUpload(functionWith(key, { ...failed, history: [entry(key)] }), content)).toEqual({
    action: 'retry',
    key,
  });
});

it('waits for another try that was asked for already', () => {
  const key = keyOf(hash);
  const build = { key, job: 'j', uid: 'u', reason: 'BuildFailed' };
  const asked = (rebuild: string | undefined, status: FunctionStatus): FunctionObject => {
    const object = functionWith(key, status);
    const annotations = rebuild === undefined ? {} : { 'sless.dev/rebuild': rebuild };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
  expect(decideUpload(asked('r1', { build }), content)).toEqual({ action: 'wait', key });
  const r1 = { build: { ...build, rebuild: 'r1' } };
  expect(decideUpload(asked('r1', r1), content)).toEqual({ action: 'retry', key });
  expect(decideUpload(asked('r2', r1), content)).toEqual({ action: 'wait', key });
  expect(decideUpload(asked(undefined, r1), content)).toEqual({ action: 'retry', key });
});

it('does not take the failure of another key for its own', () => {
  const key = keyOf(hash);
  const failed = { build: { key: keyOf(other), job: 'j', reason: 'BuildFailed' } };
  expect(decideUpload(functionWith(key, failed), content)).toEqual({ action: 'wait', key });
});

it('sets a key that has a good build, the newest of several', () => {
  const newest = keyOf(hash, '20260202000000');
  const history = [entry(keyOf(other)), entry(newest), entry(keyOf(hash))];
  expect(decideUpload(functionWith(keyOf(other), { history }), content)).toEqual({
    action: 'set',
    key: newest,
  });
  expect(decideUpload(functionWith(newest, { history }), content)).toEqual({ action: 'set', key: newest });
});

it('builds for another runtime what was built for one', () => {
  const history = [entry(keyOf(hash), 'r.local:5000/sless-runtime-nodejs20:v0.1.0')];
  expect(decideUpload(functionWith(keyOf(other), { history }), content)).toEqual({ action: 'store' });
});
