import { expect, test } from 'vitest';
import { wishOf } from './question.ts';

test.each([
  ['GET', 'functions', 'list functions'],
  ['HEAD', 'functions', 'list functions'],
  ['POST', 'functions', 'create functions'],
  ['GET', 'functions/hello', 'get functions/hello'],
  ['PATCH', 'functions/hello', 'patch functions/hello'],
  ['DELETE', 'functions/hello', 'delete functions/hello'],
  ['POST', 'functions/hello/upload', 'patch functions/hello'],
  ['POST', 'functions/hello/rollback', 'patch functions/hello'],
  ['POST', 'functions/hello/rebuild', 'patch functions/hello'],
  ['POST', 'functions/hello/restart', 'patch functions/hello'],
  ['GET', 'functions/hello/source', 'get functions/hello'],
  ['GET', 'functions/hello/versions', 'get functions/hello'],
  ['GET', 'functions/hello/build/logs', 'get functions/hello'],
  ['GET', 'functions/hello/invocations', 'get functions/hello'],
  ['GET', 'triggers', 'list triggers'],
  ['POST', 'triggers', 'create triggers'],
  ['PATCH', 'triggers/web', 'patch triggers/web'],
  ['DELETE', 'triggers/web', 'delete triggers/web'],
  ['POST', 'jobs', 'create functionjobs'],
  ['PATCH', 'jobs/migrate', 'patch functionjobs/migrate'],
  ['POST', 'events/orders', 'patch functions'],
  ['POST', 'ensure', 'list functions'],
])('%s %s is to %s', (method, path, words) => {
  const { verb, resource, name } = wishOf(method, path) ?? {};
  expect(`${verb} ${resource}${name === undefined ? '' : `/${name}`}`).toBe(words);
});

test.each([
  ['PUT', 'functions/hello'],
  ['DELETE', 'functions'],
  ['POST', 'functions/hello'],
  ['DELETE', 'functions/hello/source'],
  ['GET', 'secrets'],
  ['GET', 'constructor'],
  ['GET', ''],
  ['POST', 'ensure/more'],
])('%s %s is nothing that can be allowed', (method, path) => {
  expect(wishOf(method, path)).toBeUndefined();
});
