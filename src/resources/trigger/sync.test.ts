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
  readonly children?: readonly KubeObject[];
  readonly settings?: typeof SETTINGS.triggers;
  readonly now?: number;
}

const hello = world().parent;

const grouped = (objects: readonly KubeObject[], kind: string) =>
  Object.fromEntries(objects.filter((of) => of.kind === kind).map((of) => [`team/${of.metadata.name}`, of]));

function sync({ parent, labels = { 'sless.dev/tenant': 'true' }, functions = [hello], ...given }: Given) {
  const { children = [], settings = SETTINGS.triggers, now = START } = given;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels } };
  const request: SyncRequest = {
    parent,
    children: {
      [groupKey(KINDS.CronJob)]: grouped(children, 'CronJob'),
      [groupKey(KINDS.ConfigMap)]: grouped(children, 'ConfigMap'),
    },
    related: {
      [groupKey(KINDS.Namespace)]: { team: namespace },
      [groupKey(KINDS.Function)]: Object.fromEntries(functions.map((of) => [`team/${of.metadata.name}`, of])),
    },
    finalizing: false,
  };
  const response = syncTrigger(freeze(structuredClone(request)), settings, now);
  syncResponseSchema.parse(response);
  expectCanonical(response);
  return { ...response, status: response.status as TriggerStatus };
}

/** Children as the API server has them: owned, with a defaulted field or two and an annotation of Metacontroller's. */
function stored(parent: KubeObject, children: readonly KubeObject[]): KubeObject[] {
  const owner = {
    apiVersion: 'sless.dev/v1alpha1',
    kind: 'Trigger',
    name: parent.metadata.name,
    uid: 'uid-t',
  };
  return children.map((child) => ({
    ...child,
    metadata: {
      ...child.metadata,
      uid: `uid-${child.metadata.name}`,
      ownerReferences: [{ ...owner, controller: true }],
      annotations: { 'metacontroller.k8s.io/last-applied-configuration': JSON.stringify(child) },
    },
    status: {},
  }));
}

const cronTrigger = (spec: object = {}): KubeObject => {
  const of = trigger('nightly', { type: 'cron', schedule: '30 2 * * *', ...spec });
  return { ...of, metadata: { ...of.metadata, uid: 'uid-t' } };
};
const eventTrigger = (spec: object = {}): KubeObject => {
  const of = trigger('orders', { type: 'event', queue: 'incoming', ...spec });
  return { ...of, metadata: { ...of.metadata, uid: 'uid-t' } };
};
const applied = (parent: KubeObject): KubeObject[] => stored(parent, sync({ parent }).children);

test('a schedule that never falls due has its CronJob, and says that no calls come', () => {
  const parent = cronTrigger({ schedule: '0 0 31 2 *' });
  const { children, status: said } = sync({ parent, children: applied(parent) });
  expect(children.map(({ kind }) => kind)).toEqual(['CronJob', 'ConfigMap']);
  expect(said).toMatchObject({
    active: false,
    message: 'never falls due: no month of the schedule 0 0 31 2 * has such a day',
  });
});

test('a queue that is where its own dead letters go is refused, and is not once they go elsewhere', () => {
  const queue = 'sless.dead.team.orders';
  const own = sync({ parent: eventTrigger({ queue }) });
  expect(own.children).toEqual([]);
  expect(own.status.message).toContain('spec.queue: is where the dead letters of this Trigger itself go');
  expect(sync({ parent: eventTrigger({ queue, deadLetterQueue: 'others' }) }).children.length).toBe(1);
});

function status(given: Given): TriggerStatus {
  const { children, status: answer } = sync(given);
  expect(children).toEqual([]);
  return answer;
}

const conditions = ({ conditions: all = [] }: TriggerStatus): string[] =>
  all.map(({ type, status: holds, reason }) => `${type}=${holds} ${reason}`);

test('an http Trigger of a function that is there is active and says its address', () => {
  const answer = status({ parent: trigger('web') });
  expect(answer).toMatchObject({ active: true, url: 'https://sless.example.com/fn/team/hello' });
  expect(conditions(answer)).toEqual(['Ready=True Active']);
});

test('one that is disabled is ready, not active, and keeps its address', () => {
  const answer = status({ parent: trigger('web', { enabled: false }) });
  expect(answer).toMatchObject({ active: false, url: 'https://sless.example.com/fn/team/hello' });
  expect(conditions(answer)).toEqual(['Ready=True Disabled']);
});

test('one whose function is not there waits for it, and has no address', () => {
  for (const functions of [[], [{ ...hello, metadata: { ...hello.metadata, namespace: 'other' } }]]) {
    const answer = status({ parent: trigger('web'), functions });
    expect(answer.active).toBe(false);
    expect(answer).not.toHaveProperty('url');
    expect(conditions(answer)).toEqual(['Ready=False FunctionNotFound', 'Reconciling=True FunctionNotFound']);
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
    status({
      parent: trigger('web'),
      settings: { ...SETTINGS.triggers, urls: { externalUrl: 'https://e', ...urls } },
    }).url;
  expect(url({})).toBe('https://e/fn/team/hello');
  expect(url({ fnHost: 'fn.example.com' })).toBe('https://fn.example.com/fn/team/hello');
  expect(url({ fnDomain: 'fn.example.com' })).toBe('https://hello--team.fn.example.com');
});

test('a cron Trigger has a CronJob and its payload, and is active once both are there', () => {
  const parent = cronTrigger({ payload: '{"a":"<&>"}' });
  const first = sync({ parent });
  expect(first.resyncAfterSeconds).toBe(5);
  expect(conditions(first.status)).toEqual([
    'Applied=False Applying',
    'Ready=False Applying',
    'Reconciling=True Applying',
  ]);
  const [cronJob, payload] = first.children as (KubeObject & {
    spec: object;
    binaryData: Record<string, string>;
  })[];
  expect(cronJob?.spec).toMatchObject({
    schedule: '30 2 * * *',
    timeZone: 'UTC',
    suspend: false,
    concurrencyPolicy: 'Forbid',
    jobTemplate: { spec: { activeDeadlineSeconds: 250 } },
  });
  const text = Buffer.from(payload?.binaryData['payload.json'] ?? '', 'base64').toString();
  expect(text).toBe('{"a":"<&>"}');
  const second = sync({ parent, children: applied(parent) });
  expect(second.status.active).toBe(true);
  expect(conditions(second.status)).toEqual(['Ready=True Active']);
  expect(second.children).toEqual(first.children);
  expect(second.resyncAfterSeconds).toBeUndefined();
});

test('its call carries the time limit of the function', () => {
  const slow = { ...hello, spec: { ...(hello.spec as object), timeoutSeconds: 900 } };
  const [cronJob] = sync({ parent: cronTrigger(), functions: [slow] }).children;
  const text = JSON.stringify(cronJob);
  expect(text).toContain('X-Sless-Timeout-Ms: 900000');
  expect(text).toContain('"--max-time","910"');
  expect(text).toContain('http://hello.team.svc:8080/');
});

test('a cron Trigger that is disabled, or has no function, sleeps and keeps its CronJob', () => {
  const children = applied(cronTrigger());
  const suspend = (given: Given) =>
    (sync({ ...given, children }).children[0]?.spec as { suspend: boolean } | undefined)?.suspend;
  expect(suspend({ parent: cronTrigger({ enabled: false }) })).toBe(true);
  expect(suspend({ parent: cronTrigger(), functions: [] })).toBe(true);
  expect(suspend({ parent: cronTrigger() })).toBe(false);
});

test('on a spec that cannot be used the last good children stay as they are, in a namespace that is not enabled too', () => {
  for (const parent of [cronTrigger(), eventTrigger()]) {
    const good = sync({ parent }).children;
    const children = applied(parent);
    const bad = { ...parent, spec: { ...(parent.spec as object), functionRef: 7 } };
    expect(sync({ parent: bad, children }).children).toEqual(good);
    expect(sync({ parent, labels: {}, children }).children).toEqual(good);
    expect(sync({ parent, labels: {} }).children).toEqual([]);
  }
});

test('a spec that cannot be used still says that it is disabled: its CronJob sleeps, its consumer goes', () => {
  const mistakes: [KubeObject, Partial<Given>][] = [
    [cronTrigger({ enabled: false, payload: '{' }), {}],
    [cronTrigger({ enabled: false, functionRef: 7 }), {}],
    [cronTrigger({ enabled: false }), { labels: {} }],
  ];
  const [cronJob, payload] = sync({ parent: cronTrigger() }).children;
  const suspended = { ...cronJob, spec: { ...(cronJob?.spec as object), suspend: true } };
  for (const [parent, given] of mistakes) {
    const { children } = sync({ ...given, parent, children: applied(cronTrigger()) });
    expect(children).toEqual([suspended, payload]);
    // Not by Metacontroller's copy alone: another way of applying leaves none.
    const bare = stored(parent, children).map((of) => ({
      ...of,
      metadata: { ...of.metadata, annotations: {} },
    }));
    expect(sync({ ...given, parent, children: bare }).children).toEqual(children);
  }
  const parent = eventTrigger({ enabled: false, queue: '' });
  expect(conditions(sync({ parent }).status)).toContain('Stalled=True InvalidSpec');
  expect(sync({ parent, children: applied(eventTrigger()) }).children).toEqual([]);
});

test('while its function shall have no pods a cron Trigger sleeps, and says why', () => {
  const functions = [{ ...hello, spec: { ...(hello.spec as object), replicas: 0 } }];
  const children = applied(cronTrigger());
  const asleep = sync({ parent: cronTrigger(), functions, children });
  expect(asleep.children[0]?.spec).toMatchObject({ suspend: true });
  expect(asleep.status).toMatchObject({
    active: false,
    message: 'no calls are made while the function hello has 0 replicas',
  });
  expect(conditions(asleep.status)).toEqual(['Ready=True FunctionStopped']);
  const disabled = sync({ parent: cronTrigger({ enabled: false }), functions, children });
  expect(conditions(disabled.status)).toEqual(['Ready=True Disabled']);
});

test.each([
  [{ schedule: '30 2 * *' }, 'five fields'],
  [{ schedule: '0 5-1 * * *' }, 'the hour 5-1 runs backwards'],
  [{ timeZone: 'Mars/X' }, 'IANA'],
  [{ payload: '{' }, `spec.payload: must be JSON text, such as '{"a":1}'`],
  [{ payload: { a: 1 } }, `spec.payload: must be JSON text, such as '{"a":1}'`],
])('%j is refused in words', (spec, words) => {
  const { status: answer } = sync({ parent: cronTrigger(spec) });
  expect(conditions(answer)).toEqual(['Ready=False InvalidSpec', 'Stalled=True InvalidSpec']);
  expect(answer.message).toContain(words);
});

test('a child that does not come for a minute is told of', () => {
  const parent = cronTrigger();
  const first = sync({ parent }).status;
  const later = sync({ parent: { ...parent, status: first }, now: START + 60_000 });
  expect(conditions(later.status)).toEqual([
    'Applied=False ChildNotApplied',
    'Ready=False ChildNotApplied',
    'Stalled=True ChildNotApplied',
  ]);
  expect(later.children).toHaveLength(2);
});

test('children of a Trigger that had this name before are not ours', () => {
  const parent = cronTrigger();
  const again = { ...parent, metadata: { ...parent.metadata, uid: 'uid-2' } };
  expect(conditions(sync({ parent: again, children: applied(parent) }).status)).toContain(
    'Ready=False Applying',
  );
});

test('an event Trigger has its consumer only while it shall consume', () => {
  const [consumer] = sync({ parent: eventTrigger() }).children;
  expect(consumer?.data).toEqual({
    function: 'hello',
    maxAttempts: '5',
    prefetch: '10',
    queue: 'incoming',
    timeoutSeconds: '60',
  });
  const children = applied(eventTrigger());
  expect(sync({ parent: eventTrigger({ enabled: false }), children }).children).toEqual([]);
  expect(sync({ parent: eventTrigger(), functions: [], children }).children).toEqual([]);
  const slow = { ...hello, spec: { ...(hello.spec as object), timeoutSeconds: 3600 } };
  expect(sync({ parent: eventTrigger(), functions: [slow] }).children[0]?.data).toMatchObject({
    timeoutSeconds: '1500',
  });
});

test.each([
  [undefined, false, 'Pending', ['Ready=False ConsumerPending', 'Reconciling=True ConsumerPending']],
  [{ connected: true }, true, 'Connected', ['Ready=True Active']],
  [
    { connected: true, reason: 'FunctionStopped', message: 'stopped' },
    true,
    'FunctionStopped',
    ['Ready=True Active'],
  ],
  [
    { connected: false, reason: 'Unavailable', message: 'm' },
    false,
    'Unavailable',
    ['Ready=False Unavailable', 'Reconciling=True Unavailable'],
  ],
  [
    { connected: false, reason: 'Nonsense' },
    false,
    'ConsumerFailed',
    ['Ready=False ConsumerFailed', 'Reconciling=True ConsumerFailed'],
  ],
])('what the dispatcher says (%j) is what status says', (state, active, consumer, wanted) => {
  const parent = eventTrigger();
  const annotations =
    state === undefined
      ? {}
      : { 'sless.dev/consumer-state': JSON.stringify({ ...state, since: '2026-01-02T03:04:05Z' }) };
  const children = applied(parent).map((child) => ({
    ...child,
    metadata: { ...child.metadata, annotations: { ...child.metadata.annotations, ...annotations } },
  }));
  const { status: answer, children: wanting } = sync({ parent, children });
  expect(answer).toMatchObject({ active, consumer });
  expect(conditions(answer)).toEqual(wanted);
  // The annotation is the dispatcher's: an answer that held it would write it back when it is out of date.
  expect(JSON.stringify(wanting)).not.toContain('consumer-state');
  const bad = { ...parent, spec: { ...(parent.spec as object), functionRef: 7 } };
  expect(JSON.stringify(sync({ parent: bad, children }).children)).not.toContain('consumer-state');
});

test('a call may take what the pods were given, not what a spec says that has not reached them', () => {
  const called = { ...hello, spec: { timeoutSeconds: 600 }, status: { timeoutSeconds: 30 } };
  const [cronJob] = sync({ parent: cronTrigger(), functions: [called] }).children;
  expect(JSON.stringify(cronJob)).toContain('X-Sless-Timeout-Ms: 30000');
  const [consumer] = sync({ parent: eventTrigger(), functions: [called] }).children;
  expect(consumer?.data).toMatchObject({ timeoutSeconds: '30' });
});
