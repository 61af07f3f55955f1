import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyObject } from '../../test/fuzz/any-object.ts';
import { budget } from '../../test/fuzz/budget.ts';
import { DAMAGES, damaged, fieldsOf } from '../../test/hooks/damage.ts';
import { expectCanonical } from '../../test/hooks/loop.ts';
import { deploy } from '../../test/hooks/played.ts';
import { freeze, SETTINGS } from '../../test/hooks/settings.ts';
import { annotate, requestOf, START, trigger, world } from '../../test/hooks/world.ts';
import { customizeResponseSchema } from '../resources/kube/hook.ts';
import { groupKey, KINDS, type Kind } from '../resources/kube/kinds.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { TENANT_DECORATOR_KINDS } from '../resources/tenant/decorate.ts';
import { admitObject } from '../resources/validate.ts';
import { createHooks, type Hook } from './hooks.ts';

const hooks = createHooks(SETTINGS);

const served = world({ env: { A: 'b' } });
annotate(served, { 'sless.dev/rebuild': 'r', 'sless.dev/restart': 's' });
deploy(served, 1);
served.triggers = [trigger('web')];

const groups = (...kinds: Kind[]) => Object.fromEntries(kinds.map((kind) => [groupKey(kind), {}]));
const fn = served.parent;
const web = trigger('web');
const run: KubeObject = { ...web, kind: 'FunctionJob', spec: { functionRef: 'hello', runID: 1 } };
const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team', labels: { 'sless.dev/tenant': 'true' } },
};
const { [groupKey(KINDS.Trigger)]: _, ...ofNamespace } = requestOf(served).related;
const related = { ...ofNamespace, [groupKey(KINDS.Function)]: { 'team/hello': fn } };

/** What each kind of hook is asked about an object. */
const REQUESTS: Readonly<Record<string, { object: KubeObject; ask: (object: KubeObject) => object }>> = {
  '/sync/function': { object: fn, ask: (parent) => ({ ...requestOf(served), parent }) },
  '/sync/trigger': sync(web, groups(KINDS.CronJob, KINDS.ConfigMap)),
  '/sync/functionjob': sync(run, groups(KINDS.Job, KINDS.ConfigMap)),
  '/customize/function': customize(fn),
  '/customize/trigger': customize(web),
  '/customize/functionjob': customize(run),
  '/decorate/trigger': decorate(web),
  '/decorate/functionjob': decorate(run),
  '/decorate/namespace': decorate(namespace, groups(...TENANT_DECORATOR_KINDS.children)),
};

function sync(object: KubeObject, children: object) {
  return {
    object,
    ask: (parent: KubeObject) => ({ controller: {}, parent, children, related, finalizing: false }),
  };
}
function customize(object: KubeObject) {
  return { object, ask: (parent: KubeObject) => ({ controller: {}, parent }) };
}
function decorate(of: KubeObject, attachments: object = {}) {
  const rest = { controller: {}, attachments, related: {}, finalizing: false };
  return { object: of, ask: (object: KubeObject) => ({ ...rest, object }) };
}

function answerOf(hook: Hook, request: unknown): object {
  return hook.answer(hook.request.parse(freeze(structuredClone(request))), START);
}

test('every hook is among those that are tried here', () => {
  expect(hooks.map(({ path }) => path).sort()).toEqual(Object.keys(REQUESTS).sort());
});

test.each(hooks.map((hook) => [hook.path, hook] as const))(
  '%s answers without a null, whatever the object holds',
  (path, hook) => {
    const { object, ask } = REQUESTS[path] ?? customize(fn);
    const hits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...DAMAGES)), { maxLength: 3 });
    fc.assert(
      fc.property(hits, (damages) => {
        const hit = damages.reduce((of, [field, damage]) => {
          const fields = fieldsOf(of);
          return fields.length === 0 ? of : damaged(of, fields[field % fields.length] ?? [], damage);
        }, object);
        const answer = answerOf(hook, ask(hit));
        expectCanonical(answer);
        expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
      }),
      budget(300),
    );
  },
);

test.each([KINDS.Function, KINDS.Trigger, KINDS.FunctionJob])(
  'whatever the API server admits of a $kind is answered, canonically, by each of its hooks',
  (kind) => {
    const own = hooks.filter(({ path }) => path.endsWith(`/${kind.kind.toLowerCase()}`));
    expect(own.length).toBeGreaterThan(1);
    let admitted = 0;
    fc.assert(
      fc.property(anyObject(kind), fc.nat(120_000), (candidate, later) => {
        const { object, errors } = admitObject(candidate as KubeObject);
        if (errors.length > 0) return;
        admitted += 1;
        for (const hook of own) {
          const request = hook.request.parse(freeze(structuredClone(REQUESTS[hook.path]?.ask(object))));
          const answer = hook.answer(request, START + later);
          expectCanonical(answer);
          expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
          expect(hook.answer(request, START + later)).toEqual(answer);
        }
      }),
      budget(1000),
    );
    expect(admitted).toBeGreaterThan(50);
  },
);

test.each(hooks.filter(({ path }) => path.startsWith('/customize/')))(
  '$path asks for one to few, in one namespace',
  (hook) => {
    const { object, ask } = REQUESTS[hook.path] ?? customize(fn);
    const names = ['hello', 'x'.repeat(300), '', 'a/b'];
    for (const functionRef of [...names, undefined, null, 7]) {
      const asked = ask({ ...object, spec: { functionRef } });
      for (const rule of customizeResponseSchema.parse(answerOf(hook, asked)).relatedResources) {
        const labels = Object.keys(rule.labelSelector?.matchLabels ?? {});
        expect(rule.names?.length ?? labels.length, JSON.stringify(rule)).toBe(1);
        expect(rule.names === undefined || rule.labelSelector === undefined).toBe(true);
        expect(rule.namespace).toBe(rule.resource === 'namespaces' ? undefined : 'team');
      }
    }
  },
);
