import type { FunctionObject } from '../../../resources/function/schema.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { type Address, keptKind } from '../kept.ts';

export type FunctionAddress = Address;

export const {
  ref: functionRef,
  title: functionTitle,
  typed: asFunction,
  require: requireFunction,
} = keptKind<FunctionObject>(KINDS.Function, 'function');
