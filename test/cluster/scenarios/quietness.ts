import { expect, test } from 'vitest';
import { waitFor } from '../wait-for.ts';
import { declareFunction } from './served-function.ts';
import type { Stage } from './stage.ts';

/** More than twice what hooks ask for while they wait for something. */
const QUIET_MS = 15_000;
const WATCHED = 'functions,triggers,deployments,services,jobs,replicasets,pods,endpointslices,configmaps';

interface Listed {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
  }[];
}

/** Nothing happens without a reason. */
export function quietness(stage: Stage): void {
  test('once all is as it shall be, nothing is written and no hook is called', async () => {
    const fn = await declareFunction(stage);
    await fn.serve('calm');
    await fn.tenant.call('PATCH', `/triggers/${fn.name}`, { enabled: false });
    const versions = async () => {
      const { items } = (await stage.admin.get(WATCHED, '-n', fn.namespace)) as Listed;
      return items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
    };
    let last = { state: '', since: Date.now() };
    const seen = await waitFor({
      for: `${QUIET_MS / 1000} s without a write and without a call of a hook`,
      timeoutMs: 120_000,
      intervalMs: 1_000,
      look: async () => {
        const calls = stage.sless().hooks.callsAbout(fn.namespace);
        const state = JSON.stringify([calls, await versions()], null, 1);
        if (state !== last.state) last = { state, since: Date.now() };
        return { quietMs: Date.now() - last.since, calls: calls.count, state };
      },
      holds: ({ quietMs }) => quietMs >= QUIET_MS,
    });
    console.info(`${stage.driver}: ${seen.calls} calls of hooks from nothing to stopped, then none`);
    expect(seen.calls).toBeGreaterThan(0);
  });
}
