import { expect, test } from 'vitest';
import { buildConsumer } from './consumer.ts';
import type { Cron } from './cron.ts';
import { buildCronJob } from './cron-job.ts';
import { buildPayload } from './payload.ts';

const CRON: Cron = {
  namespace: 'team',
  trigger: 'nightly',
  triggerUid: 'uid-t',
  function: 'hello',
  schedule: '30 2 * * *',
  timeZone: 'Europe/Berlin',
  payload: '{"report":"<daily>"}',
  concurrencyPolicy: 'Forbid',
  suspended: false,
  timeoutSeconds: 60,
};

const CONSUMER = {
  namespace: 'team',
  trigger: 'orders',
  triggerUid: '11111111-2222-3333-4444-555555555555',
  queue: 'incoming',
  function: 'hello',
  prefetch: 10,
  maxAttempts: 5,
  timeoutSeconds: 60,
  deadLetterQueue: 'dead',
  brokerSecret: 'fn-broker',
};

const CHILDREN = {
  'cron-job': buildCronJob(CRON, { image: 'curlimages/curl:8.5.0' }),
  payload: buildPayload(CRON),
  consumer: buildConsumer(CONSUMER),
};

test.each(Object.entries(CHILDREN))('%s is made as before', async (name, child) => {
  await expect(`${JSON.stringify(child, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.golden.json`);
});

test('the longest name leaves Kubernetes the 11 characters that it adds for a Job', () => {
  const { metadata } = buildCronJob({ ...CRON, trigger: 'x'.repeat(52) }, { image: 'curl' });
  expect(`${metadata.name}-12345678`.length).toBeLessThanOrEqual(63);
});
