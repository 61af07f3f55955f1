import { expect, test } from 'vitest';
import { LABELS } from '../../resources/kube/labels.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { missingImage } from './missing-image.ts';

const pod = (labels: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'hello-1', namespace: 'sless-a', labels },
});

test("a function's pod names the request that makes its image anew", () => {
  expect(missingImage(pod({ [LABELS.function]: 'hello' }), 'local/hello:1')).toBe(
    'there is no image local/hello:1 here: POST /v1/namespaces/sless-a/functions/hello/rebuild makes it anew',
  );
});

test('a pod of nothing that can be rebuilt names its image alone', () => {
  expect(missingImage(pod({}), 'local/hello:1')).toBe('there is no image local/hello:1 here');
});
