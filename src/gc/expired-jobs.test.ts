import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../resources/kube/object.ts';
import { expiredJobs } from './expired-jobs.ts';

const END = '2026-03-01T12:00:00Z';
const job = (spec: object, status: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'FunctionJob',
  metadata: { name: 'j', namespace: 'team', ...metadata },
  spec: { functionRef: 'hello', runID: 1, ttlSecondsAfterFinished: 60, ...spec },
  status: { phase: 'Succeeded', runID: 1, completionTime: END, ...status },
});
const after = (seconds: number) => Date.parse(END) + seconds * 1000;

describe('a FunctionJob expires', () => {
  test.each([
    ['at its time', job({}, {}), 60, true],
    ['not a second earlier', job({}, {}), 59, false],
    ['when it failed, too', job({}, { phase: 'Failed' }), 60, true],
    ['at once with a time of 0', job({ ttlSecondsAfterFinished: 0 }, {}), 0, true],
    ['never without a time', job({ ttlSecondsAfterFinished: undefined }, {}), 1e9, false],
    ['not while it runs', job({}, { phase: 'Running', completionTime: undefined }), 1e9, false],
    ['not while another run is wanted', job({ runID: 2 }, {}), 1e9, false],
    ['when its number was lowered: that runs nothing', job({ runID: 0 }, {}), 60, true],
    ['not when it never ran', job({ runID: 0 }, { phase: 'Skipped', completionTime: undefined }), 1e9, false],
    ['not twice', job({}, {}, { deletionTimestamp: END }), 60, false],
    ['not on a status that makes no sense', job({}, { completionTime: 7 }), 1e9, false],
  ])('%s', (_, object, seconds, expired) => {
    expect(expiredJobs([object], after(seconds))).toEqual(expired ? [object] : []);
  });
});
