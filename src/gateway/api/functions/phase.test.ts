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
  ['a rebuild follows a rebuild', functionWith({ ...ready, rebuild: 'one', builtRebuild: 'one' }, 'two')],
  ['a rollout had failed before a rebuild', functionWith({ ...ready, phase: 'Failed' }, 'again')],
  ['a spec was refused before a rebuild', functionWith({ ...ready, phase: 'Failed', rebuild: 'one' }, 'two')],
])('is Pending while %s', (_, object) => {
  expect(phaseOf(object)).toEqual({ phase: 'Pending', message: 'waiting for the operator' });
});

it.each([
  ['a spec that is refused', { ...ready, phase: 'Failed' as const, message: 'no such runtime' }],
  ['no code', { ...ready, phase: 'Pending' as const, message: 'no code yet' }],
  ['a build', { ...ready, phase: 'Building' as const, build: { key, job: 'j', rebuild: 'again' } }],
  ['another key that it was spent on', { ...ready, build: { key: 'other', job: 'j', rebuild: 'again' } }],
])('is what a status says that has seen the rebuild and speaks of %s', (_, status) => {
  const { phase, message } = status;
  expect(phaseOf(functionWith({ ...status, rebuild: 'again' }, 'again'))).toEqual({ phase, message });
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
