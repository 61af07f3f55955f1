import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { NOW, world } from '../../test/certificate/trust-world.ts';
import type { WebhookTrust } from '../ports/webhook-trust.ts';
import { VALID_MS } from './issue.ts';
import { splitPem } from './renewal.ts';

const LATER = NOW + (VALID_MS * 3) / 4;
/** More calls of the cluster than a run that renews makes before it saves. */
const STEPS = 8;

/** What a run sees of the cluster: each call waits for its turn. */
const inTurn = (trust: WebhookTrust, turn: () => Promise<void>): WebhookTrust => ({
  secret: () => turn().then(trust.secret),
  createSecret: (texts) => turn().then(() => trust.createSecret(texts)),
  replaceSecret: (version, texts) => turn().then(() => trust.replaceSecret(version, texts)),
  ownSecret: () => turn().then(trust.ownSecret),
  controllers: () => turn().then(trust.controllers),
  trust: (controller, authorities) => turn().then(() => trust.trust(controller, authorities)),
});

/** A run that makes one call of the cluster whenever it is let on. */
function paced(trust: WebhookTrust, start: (by: WebhookTrust) => Promise<unknown>) {
  const waiting: (() => void)[] = [];
  let over = false;
  const run = start(inTurn(trust, () => new Promise((resolve) => waiting.push(resolve)))).finally(
    () => (over = true),
  );
  const step = async () => {
    // Between two calls it makes keys, which takes turns of the event loop.
    while (waiting.length === 0 && !over) await new Promise((resolve) => setImmediate(resolve));
    waiting.shift()?.();
  };
  const finish = async () => {
    while (!over) await step();
    await run;
  };
  return { step, finish };
}

const times = async (count: number, step: () => Promise<void>) => {
  for (let done = 0; done < count; done += 1) await step();
};

test.each([
  ['both make the first certificate', false, [NOW, NOW]],
  ['both renew', true, [LATER, LATER]],
  ['one renews what the other finds good', true, [NOW, LATER]],
] as const)(
  'of two runs at once, where %s, what is served in the end is trusted',
  async (_, made, at) => {
    for (let first = 0; first <= STEPS; first += 1)
      for (let second = 0; second <= STEPS; second += 1) {
        const { run, trust, secret, hooks } = world();
        if (made) await run();
        const [one, other] = at.map((now) => paced(trust, (by) => run(now, {}, by)));
        await times(first, one!.step);
        await times(second, other!.step);
        await one!.finish();
        await other!.finish();
        const served = new X509Certificate(secret().certificate!);
        for (const trusted of Object.values(hooks).flatMap((of) => Object.values(of))) {
          const keys = splitPem(trusted ?? '').map((pem) => new X509Certificate(pem).publicKey);
          const isTrusted = keys.some((key) => served.verify(key));
          expect(isTrusted, `after ${first} and ${second} calls`).toBe(true);
        }
        expect(await run(Math.max(...at))).toEqual([]);
      }
  },
  60_000,
);
