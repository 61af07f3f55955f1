import type { FunctionJobObject } from '../../../resources/function-job/schema.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { keptKind } from '../kept.ts';

export const {
  ref: jobRef,
  title: jobTitle,
  typed: asJob,
  require: requireJob,
} = keptKind<FunctionJobObject>(KINDS.FunctionJob, 'job');
