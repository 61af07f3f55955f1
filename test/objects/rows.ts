import { FUNCTION_JOB_ROWS } from './function-jobs.ts';
import { FUNCTION_ROWS } from './functions.ts';
import type { Row } from './row.ts';
import { TRIGGER_ROWS } from './triggers.ts';

/** Good and bad objects of the three kinds: one table for zod and for a real API server. */
export const ROWS: readonly Row[] = [...FUNCTION_ROWS, ...TRIGGER_ROWS, ...FUNCTION_JOB_ROWS];
