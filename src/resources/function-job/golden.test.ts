import { expect, test } from 'vitest';
import { FUNCTION_SETTINGS } from '../../../test/hooks/settings.ts';
import { buildEvent } from './event.ts';
import { buildRunJob } from './job.ts';
import type { Offer } from './offer.ts';

const RUN = { namespace: 'team', name: 'migrate', uid: 'uid-1', function: 'hello', runID: 3 };

const OFFER: Offer = {
  image: 'registry.local:5000/sless/team/hello@sha256:0123',
  entrypoint: 'handler.handle',
  env: { ZED: '$(HOME)', EMPTY: '' },
  secrets: ['fn-database'],
  resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
};

const SPEC = { retries: 2, timeoutSeconds: 600 };

const CHILDREN = {
  job: buildRunJob(
    { run: RUN, spec: SPEC, offer: OFFER },
    { ...FUNCTION_SETTINGS, pullSecret: 'sless-pull' },
  ),
  event: buildEvent(RUN, '{"drop":"<none>"}'),
};

test.each(Object.entries(CHILDREN))('%s is made as before', async (name, child) => {
  await expect(`${JSON.stringify(child, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.golden.json`);
});

test('the longest names fit', () => {
  const { metadata } = buildRunJob(
    { run: { ...RUN, name: 'x'.repeat(40) }, spec: SPEC, offer: OFFER },
    FUNCTION_SETTINGS,
  );
  expect(metadata.name.length).toBeLessThanOrEqual(63);
});

test('an event of 96 KiB of whatever fits into an object with its copy', () => {
  for (const character of ['<', '"', '\\u0000', 'x']) {
    const text = `"${(character === '"' ? '\\"' : character).repeat(98_302 / (character === '"' ? 2 : character.length))}"`;
    const size = JSON.stringify(buildEvent(RUN, text)).length;
    expect(size).toBeLessThan(200 * 1024);
  }
});
