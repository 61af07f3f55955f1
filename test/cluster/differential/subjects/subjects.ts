import type { Subject } from '../step.ts';
import { FUNCTION, FUNCTION_JOB, TRIGGER } from './own-kinds.ts';
import { CONFIG_MAP, ENDPOINT_SLICE, SECRET, SERVICE } from './plain.ts';
import { CRON_JOB, DEPLOYMENT, JOB, POD } from './workloads.ts';

/** Every kind that is compared. */
export const SUBJECTS: readonly Subject[] = [
  FUNCTION,
  TRIGGER,
  FUNCTION_JOB,
  CONFIG_MAP,
  SECRET,
  SERVICE,
  ENDPOINT_SLICE,
  DEPLOYMENT,
  JOB,
  CRON_JOB,
  POD,
];
