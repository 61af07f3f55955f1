import { expect, test } from 'vitest';
import { expectCanonical } from '../../../test/hooks/loop.ts';
import { freeze, SETTINGS } from '../../../test/hooks/settings.ts';
import { START, trigger, world } from '../../../test/hooks/world.ts';
import { type SyncRequest, syncResponseSchema } from '../kube/hook.ts';
import { groupKey, KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import type { TriggerStatus } from './schema.ts';
import { syncTrigger } from './sync.ts';

interface Given {
  readonly parent: KubeObject;
  readonly labels?: Record<string, string>;
  readonly functions?: readonly KubeObject[];
  readonly settings?: typeof SETTINGS.triggers;
  readonly now?: number;
}

const hello = world().parent;

function status({ parent, labels = { 'sless.dev/tenant': 'true' }, functions = [hello], ...given }: Given) {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels } };
  const request: SyncRequest = {
    parent,
    children: { [groupKey(KINDS.CronJob)]: {}, [groupKey(KINDS.ConfigMap)]: {} },
    related: {
      [groupKey(KINDS.Namespace)]: { team: namespace },
      [groupKey(KINDS.Function)]: Object.fromEntries(functions.map((of) => [`team/${of.metadata.name}`, of])),
    },
    finalizing: false,
  };
  const response = syncTrigger(
    freeze(structuredClone(request)),
    given.settings ?? SETTINGS.triggers,
    given.now ?? START,
  );
  syncResponseSchema.parse(response);
  expectCanonical(response);
  expect(response.children).toEqual([]);
  return response.status as TriggerStatus;
}

const conditions = ({ conditions: all = [] }: TriggerStatus): string[] =>
  all.map(({ type, status: holds, reason }) => `${type}=${holds} ${reason}`);

test('an http Trigger of a function that is there is active and says its address', () => {
  const answer = status({ parent: trigger('web') });
  expect(answer).toMatchObject({ active: true, url: 'https://sless.example.com/fn/team/hello' });
  expect(conditions(answer)).toEqual(['Ready=True Active']);
});

test('one that is disabled is ready, and not active', () => {
  const answer = status({ parent: trigger('web', { enabled: false }) });
  expect(answer.active).toBe(false);
  expect(conditions(answer)).toEqual(['Ready=True Disabled']);
});

test('one whose function is not there waits for it, and keeps its address', () => {
  for (const functions of [[], [{ ...hello, metadata: { ...hello.metadata, namespace: 'other' } }]]) {
    const answer = status({ parent: trigger('web'), functions });
    expect(answer).toMatchObject({ active: false, url: expect.any(String) });
    expect(conditions(answer)).toEqual(['Ready=False FunctionNotFound', 'Reconciling=True FunctionNotFound']);
  }
});

test('cron and event do nothing yet, and say so', () => {
  const specs = [
    { type: 'cron', schedule: '* * * * *' },
    { type: 'event', queue: 'q' },
  ];
  for (const spec of specs) {
    const answer = status({ parent: trigger('web', spec) });
    expect(answer.active).toBe(false);
    expect(answer.url).toBeUndefined();
    expect(conditions(answer)).toEqual(['Ready=False NotImplementedYet', 'Stalled=True NotImplementedYet']);
  }
});

test('elsewhere than in an enabled namespace, and with a spec of before its rules, nothing is active', () => {
  const cases: [Given, string][] = [
    [{ parent: trigger('web'), labels: {} }, 'NamespaceNotEnabled'],
    [{ parent: trigger('web', { queue: 'q' }) }, 'InvalidSpec'],
    [{ parent: trigger('web', { functionRef: 7 }) }, 'InvalidSpec'],
    [{ parent: trigger('x'.repeat(53)) }, 'InvalidSpec'],
    [{ parent: { ...trigger('web'), spec: undefined } }, 'InvalidSpec'],
  ];
  for (const [given, reason] of cases) {
    const answer = status(given);
    expect(answer.active).toBe(false);
    expect(conditions(answer)).toEqual([`Ready=False ${reason}`, `Stalled=True ${reason}`]);
  }
});

test('a quiet Trigger is quiet, and a transition has its time', () => {
  const before = status({ parent: trigger('web') });
  const later = START + 60_000;
  expect(status({ parent: { ...trigger('web'), status: before }, now: later })).toEqual(before);
  const gone = status({ parent: { ...trigger('web'), status: before }, functions: [], now: later });
  expect(gone.conditions?.[0]?.lastTransitionTime).toBe('2026-01-02T03:05:05Z');
});

test('the address follows the hosts of the installation', () => {
  const url = (urls: object): string | undefined =>
    status({ parent: trigger('web'), settings: { urls: { externalUrl: 'https://e', ...urls } } }).url;
  expect(url({})).toBe('https://e/fn/team/hello');
  expect(url({ fnHost: 'fn.example.com' })).toBe('https://fn.example.com/fn/team/hello');
  expect(url({ fnDomain: 'fn.example.com' })).toBe('https://hello--team.fn.example.com');
});
