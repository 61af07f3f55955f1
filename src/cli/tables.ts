import type { ApiFunction, ApiInvocation, ApiJob, ApiTrigger, ApiVersion } from './api-types.ts';
import type { Table } from './output.ts';

export const FUNCTIONS: Table<ApiFunction> = {
  columns: {
    NAME: ({ name }) => name,
    RUNTIME: ({ runtime }) => runtime,
    PHASE: ({ phase }) => phase,
    READY: ({ ready_replicas: ready, replicas }) => `${ready}/${replicas}`,
    URL: ({ url }) => url,
    MESSAGE: ({ message }) => message?.split('\n', 1)[0],
  },
};

export const TRIGGERS: Table<ApiTrigger> = {
  columns: {
    NAME: ({ name }) => name,
    TYPE: ({ type }) => type,
    FUNCTION: (trigger) => trigger.function,
    ENABLED: ({ enabled }) => enabled,
    ACTIVE: ({ active }) => active,
    WHAT: ({ url, schedule, queue }) => schedule ?? queue ?? url,
    MESSAGE: ({ message }) => message?.split('\n', 1)[0],
  },
};

export const JOBS: Table<ApiJob> = {
  columns: {
    NAME: ({ name }) => name,
    FUNCTION: (job) => job.function,
    RUN: ({ run_id: run }) => run,
    PHASE: ({ phase }) => phase,
    ATTEMPTS: ({ attempts }) => attempts,
    ENDED: ({ completion_time: at }) => at,
    RESULT: ({ result, message, phase }) => (phase === 'Failed' ? message : result)?.slice(0, 80),
  },
};

export const VERSIONS: Table<ApiVersion & { readonly name?: string }> = {
  columns: {
    KEY: ({ s3_key: key }) => key,
    BUILT: ({ built_at: at }) => at,
    SERVED: ({ served }) => served,
    CURRENT: ({ current }) => (current ? '*' : ''),
  },
};

export const INVOCATIONS: Table<ApiInvocation & { readonly name?: string }> = {
  columns: {
    STARTED: ({ started_at: at }) => at,
    TRIGGER: ({ trigger, trigger_name: name }) => (name === null ? trigger : `${trigger}/${name}`),
    OUTCOME: ({ outcome }) => outcome,
    STATUS: ({ status }) => status,
    MS: ({ duration_ms: ms }) => Math.round(ms * 10) / 10,
    TRY: ({ attempt }) => attempt,
    ID: ({ id }) => id,
    REASON: ({ reason }) => reason,
  },
};
