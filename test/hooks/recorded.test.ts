import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createOperator } from '../../src/operator/app.ts';
import type { HookSettings } from '../../src/operator/settings.ts';
import {
  customizeResponseSchema,
  decorateResponseSchema,
  type SyncRequest,
  type SyncResponse,
  syncResponseSchema,
} from '../../src/resources/kube/hook.ts';
import { asObserved } from '../../src/resources/kube/kept.ts';
import { groupKey } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import type { RecordedCall } from '../cluster/hook-recorder.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { expectCanonical } from './loop.ts';
import { dynamicMerge } from './merge.ts';
import { catalogue, FUNCTION_SETTINGS, TENANT_SETTINGS } from './settings.ts';

// Requests of a real Metacontroller 4.17.2, kept by `RECORD_HOOKS=<folder> REGISTRY_HOST=registry.local:5000 npm run test:cluster`: names of Jobs
// carry a hash of the image, so the registry is the one that the settings below name.
const FOLDER = resolve(import.meta.dirname, 'fixtures');
const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

/** The installation that they come from. */
const settings: HookSettings = {
  triggers: { urls: { externalUrl: 'http://sless.example.com' }, cron: { image: 'curlimages/curl:8.5.0' } },
  tenants: TENANT_SETTINGS,
  functions: {
    ...FUNCTION_SETTINGS,
    runtimes: catalogue('v0.1.0'),
    bucket: 'bucket',
    resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
  },
};

const recorded = readdirSync(FOLDER).map((file) => ({
  file,
  call: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as RecordedCall,
}));

async function answerTo({ path, at, request }: RecordedCall) {
  const app = createOperator({ settings, clock: { now: () => at }, logger: silentLogger });
  const response = await app.request(path, { method: 'POST', body: JSON.stringify(request) });
  return { status: response.status, text: await response.text() };
}

const schemaOf = (path: string) =>
  path.startsWith('/sync/')
    ? syncResponseSchema
    : path.startsWith('/customize/')
      ? customizeResponseSchema
      : decorateResponseSchema;

describe.each(recorded)('as Metacontroller asked: $file', ({ call }) => {
  test('is taken, and answered canonically', async () => {
    const { status, text } = await answerTo(call);
    expect(status, text).toBe(200);
    const answer = JSON.parse(text);
    schemaOf(call.path).parse(answer);
    expectCanonical(answer);
    expect((await answerTo(call)).text).toBe(text);
  });

  test('another field in it, or a kind that is missing, is refused', async () => {
    const request = call.request as Record<string, unknown>;
    expect((await answerTo({ ...call, request: { ...request, surprise: true } })).status).toBe(400);
    if (!call.path.startsWith('/sync/')) return;
    expect((await answerTo({ ...call, request: { ...request, children: { 'Pod.v1': {} } } })).status).toBe(
      400,
    );
  });
});

describe.each(recorded.filter(({ file }) => file.includes('.at-rest.')))('at rest: $file', ({ call }) => {
  test('nothing would be written', async () => {
    const { parent, children } = call.request as SyncRequest;
    const answer = JSON.parse((await answerTo(call)).text) as SyncResponse;
    const observedGeneration = parent.metadata.generation;
    expect({ ...answer.status, observedGeneration }).toEqual(parent.status);
    expect(answer.resyncAfterSeconds).toBeUndefined();
    const observed = Object.values(children).flatMap((group) => Object.values(group));
    expect(answer.children.map(nameOf).sort()).toEqual(observed.map(nameOf).sort());
    // Jobs are OnDelete: nobody writes to one that is there.
    for (const desired of answer.children.filter(({ kind }) => kind !== 'Job')) {
      const found = observed.find((child) => nameOf(child) === nameOf(desired));
      const wanted = asApplied(desired, parent.metadata.uid);
      const last = JSON.parse(found?.metadata.annotations?.[LAST_APPLIED] ?? '{}');
      if (last.kind !== undefined) expect(wanted).toEqual(last);
      expect(dynamicMerge(found, last, wanted)).toEqual(found);
      // What a refused spec would answer: the same, whichever way of applying says what that was.
      if (found !== undefined) expect(asObserved(found)).toEqual(wanted);
    }
  });
});

const nameOf = (object: KubeObject): string => `${groupKey(object)} ${object.metadata.name}`;

/** A wanted child with the label that Metacontroller adds to it, as it stands in the annotation of dynamic-apply. */
function asApplied(desired: KubeObject, uid: string | undefined): KubeObject {
  const labels = { ...desired.metadata.labels, 'controller-uid': uid ?? '' };
  return { ...desired, metadata: { ...desired.metadata, labels } };
}
