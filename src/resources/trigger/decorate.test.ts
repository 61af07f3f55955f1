import { expect, test } from 'vitest';
import { freeze } from '../../../test/hooks/settings.ts';
import { trigger } from '../../../test/hooks/world.ts';
import { decorateResponseSchema } from '../kube/hook.ts';
import { decorateTrigger } from './decorate.ts';

function decorate(spec: Record<string, unknown>, annotations?: Record<string, string>) {
  const { metadata, ...rest } = trigger('web', spec);
  const object = {
    ...rest,
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
  };
  const answer = decorateTrigger({ object: freeze(object), attachments: {}, related: {}, finalizing: false });
  decorateResponseSchema.parse(answer);
  return answer;
}

const STOPPED = { 'sless.dev/stopped': 'true' };

test('a Trigger is labelled with its function', () => {
  expect(decorate({})).toEqual({ labels: { 'sless.dev/function': 'hello' }, attachments: [] });
  expect(decorate({ functionRef: 7 })).toEqual({ attachments: [] });
});

test('the mark of a stop goes once the Trigger is enabled, and not before', () => {
  expect(decorate({ enabled: false }, STOPPED).annotations).toBeUndefined();
  for (const enabled of [true, undefined])
    expect(decorate({ enabled }, STOPPED).annotations).toEqual({ 'sless.dev/stopped': null });
  expect(decorate({ enabled: true }, { other: 'x' }).annotations).toBeUndefined();
});
