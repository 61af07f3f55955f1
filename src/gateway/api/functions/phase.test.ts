import { expect, it } from 'vitest';
import { takenAnnotation } from '../../../resources/function/observed.ts';
import type { FunctionObject, FunctionStatus } from '../../../resources/function/schema.ts';
import { phaseOf } from './phase.ts';

const key = 'contexts/ns/f/1.tar.gz';
const functionWith = (status: FunctionStatus | undefined, rebuild?: string): FunctionObject => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Function',
  metadata: {
    name: 'f',
    generation: 3,
    ...(rebuild === undefined ? {} : { annotations: { 'sless.dev/rebuild': rebuild } }),
  },
  spec: { runtime: 'nodejs20', s3Key: key },
  ...(status === undefined ? {} : { status }),
});
const ready: FunctionStatus = { observedGeneration: 3, phase: 'Ready', message: 'ready', builtKey: key };

it('is what the status says of this generation', () => {
  expect(phaseOf(functionWith(ready))).toEqual({ phase: 'Ready', message: 'ready' });
});

it.each([
  ['there is no status', functionWith(undefined)],
  ['the status is of an earlier generation', functionWith({ ...ready, observedGeneration: 2 })],
  ['a rebuild was not seen yet', functionWith({ ...ready, build: { key, job: 'j' } }, 'again')],
  ['a rebuild follows a rollback', functionWith({ ...ready, build: { key: 'other', job: 'j' } }, 'again')],
  [
    'a rebuild follows a rebuild',
    functionWith({ ...ready, builtRebuild: 'one', build: { key, job: 'j', rebuild: 'one' } }, 'two'),
  ],
])('is Pending while %s', (_, object) => {
  expect(phaseOf(object)).toEqual({ phase: 'Pending', message: 'waiting for the operator' });
});

it('is Failed where the spec is refused, whatever was asked besides', () => {
  const refused: FunctionStatus = {
    ...ready,
    phase: 'Failed',
    message: 'no such runtime',
    build: { key, job: 'j' },
  };
  expect(phaseOf(functionWith(refused, 'again'))).toEqual({ phase: 'Failed', message: 'no such runtime' });
});

it('is AwaitingCode as long as there is none', () => {
  const object = functionWith({ observedGeneration: 3, phase: 'Pending', message: 'no code yet' }, 'again');
  expect(phaseOf({ ...object, spec: { runtime: 'nodejs20' } }).message).toBe('no code yet');
});

it.each([
  ['was answered by a build', { ...ready, build: { key, job: 'j', rebuild: 'again' } }],
  ['was answered by what is deployed', { ...ready, builtRebuild: 'again', build: { key, job: 'j' } }],
  ['was spent on a build of another key', { ...ready, build: { key: 'other', job: 'j', rebuild: 'again' } }],
])('is what the status says where a rebuild %s', (_, status) => {
  expect(phaseOf(functionWith(status, 'again')).phase).toBe('Ready');
});

it.each<[string, string | undefined, string]>([
  ['that the status has not seen', undefined, 'Pending'],
  ['that follows one that it has seen', 'one', 'Pending'],
  ['that the status speaks of', 'two', 'Ready'],
])('after a restart %s (%s) is %s', (_, restart, phase) => {
  const object = functionWith({ ...ready, ...(restart === undefined ? {} : { restart }) });
  const annotations = { 'sless.dev/restart': 'two' };
  expect(phaseOf({ ...object, metadata: { ...object.metadata, annotations } }).phase).toBe(phase);
});

it('knows a long annotation again by what the hook has made of it', () => {
  const object = functionWith(ready);
  const long = { ...object.metadata, annotations: { 'sless.dev/restart': 'x'.repeat(1000) } };
  const restart = takenAnnotation({ ...object, metadata: long }, 'sless.dev/restart') ?? '';
  expect(restart.length).toBeLessThan(100);
  expect(phaseOf({ ...object, metadata: long, status: { ...ready, restart } }).phase).toBe('Ready');
});
