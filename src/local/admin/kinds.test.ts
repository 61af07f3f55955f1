import { expect, test } from 'vitest';
import { allKinds, kindOfWord } from './kinds.ts';

test.each([
  'fn',
  'function',
  'functions',
  'Function',
  'FUNCTIONS',
  'function.sless.dev',
  'Function.sless.dev',
  'functions.sless.dev',
  'functions.v1alpha1.sless.dev',
  'fn.sless.dev',
])('%s is a Function', (word) => {
  expect(kindOfWord(word)?.kind).toBe('Function');
});

test.each([
  ['ns', 'Namespace'],
  ['secret', 'Secret'],
  ['deployments.apps', 'Deployment'],
  ['trg', 'Trigger'],
  ['fnjob.sless.dev', 'FunctionJob'],
])('%s is a %s', (word, kind) => {
  expect(kindOfWord(word)?.kind).toBe(kind);
});

test.each([
  '',
  'unicorns',
  'functions.apps',
  'functions.v1.sless.dev',
  'pods.v1',
  '.sless.dev',
  'constructor',
])('%j is no kind', (word) => {
  expect(kindOfWord(word)).toBeUndefined();
});

test('the list of kinds has every word', () => {
  expect(allKinds()).toMatch(/^functions or fn, triggers or trg, functionjobs or fnjob, namespaces or ns, /);
  expect(allKinds()).toContain('secrets');
});
