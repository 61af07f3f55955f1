import { expect } from 'vitest';
import { kubectl } from './kubectl.ts';
import type { Tenant } from './tenant.ts';
import { waitFor } from './wait-for.ts';

/** What is asked again and again about the builds of a tenant. */
export interface Building {
  /** The function once it is Ready with that key; fails when it is Failed. */
  ready(name: string, key: string, timeoutMs?: number): Promise<Readonly<Record<string, unknown>>>;
  /** Why it is Failed. */
  failed(name: string, timeoutMs?: number): Promise<{ readonly reason: string; readonly message: string }>;
  /** How many pods have tried to build it. */
  pods(name: string): Promise<number>;
}

/** Images may have to come to the node first. */
const FIRST_MS = 120_000;

export function buildingOf(tenant: Tenant, kubeconfig: string): Building {
  return {
    ready: async (name, key, timeoutMs = FIRST_MS) => {
      const shown = await waitFor({
        for: `${name} Ready with ${key}`,
        timeoutMs,
        intervalMs: 50,
        look: () => tenant.describe(name),
        holds: ({ phase, s3_key: at }) => phase === 'Failed' || (phase === 'Ready' && at === key),
      });
      expect(shown, String(shown.message)).toMatchObject({ phase: 'Ready' });
      return shown;
    },
    failed: async (name, timeoutMs = 60_000) => {
      const { conditions, message } = await waitFor({
        for: `${name} Failed`,
        timeoutMs,
        look: () => tenant.describe(name),
        holds: ({ phase }) => phase === 'Failed',
      });
      const ready = (conditions as { type: string; reason: string }[]).find(({ type }) => type === 'Ready');
      return { reason: ready?.reason ?? '', message: String(message) };
    },
    pods: async (name) => {
      const selector = `sless.dev/component=build,sless.dev/function=${name}`;
      const list = await kubectl(kubeconfig).get('pods', '-n', tenant.namespace, '-l', selector);
      return (list as { items: unknown[] }).items.length;
    },
  };
}
