import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

it('gives each tenant so many places and no more, and takes them back', () => {
  const slots = createSlots({ what: 'uploads', perTenant: 2, total: 10 });
  const first = slots.take('a');
  slots.take('a');
  expect(() => slots.take('a')).toThrow(/at most 2 uploads/);
  slots.take('b');
  first();
  first();
  slots.take('a');
  expect(() => slots.take('a')).toThrow();
});

it('bounds all tenants together', () => {
  const slots = createSlots({ what: 'uploads', perTenant: 2, total: 2 });
  slots.take('a');
  const second = slots.take('b');
  expect(() => slots.take('c')).toThrow(/too many uploads at once/);
  second();
  slots.take('c');
});
