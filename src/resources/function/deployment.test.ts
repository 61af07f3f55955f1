import { expect, test } from 'vitest';
import { CHILDREN } from '../../../test/hooks/children.ts';
import { FUNCTION_SETTINGS } from '../../../test/hooks/settings.ts';
import { readServer } from './deployed-server.ts';
import { buildDeployment } from './deployment.ts';

interface Probed {
  readonly template: {
    readonly spec: {
      readonly containers: readonly { readonly livenessProbe: Readonly<Record<string, number>> }[];
    };
  };
}

test.each([1, 60, 3600])(
  'with a limit of %d s it may be silent for a call and a start, and is then started anew',
  (timeoutSeconds) => {
    const server = readServer(CHILDREN.deployment);
    if (server === undefined) throw new Error('the Deployment cannot be read');
    const { template } = buildDeployment({ ...server, timeoutSeconds }, FUNCTION_SETTINGS).spec as Probed;
    const probe = template.spec.containers[0]?.livenessProbe ?? {};
    const seconds = (probe.failureThreshold ?? 0) * (probe.periodSeconds ?? 0);
    expect(seconds).toBeGreaterThanOrEqual(timeoutSeconds + 180);
    expect(seconds).toBeLessThan(timeoutSeconds + 200);
    expect(probe.terminationGracePeriodSeconds).toBeLessThan(10);
  },
);
