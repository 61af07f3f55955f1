import type { z } from '@hono/zod-openapi';
import { type ErrorCode, SlessError } from '../../errors.ts';
import { operation } from './answer/operation.ts';
import type { ApiApp } from './deps.ts';
import { functionParams } from './request/params.ts';

const FUNCTION = '/v1/namespaces/{ns}/functions/{name}' as const;

interface Planned {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly code: ErrorCode;
}

const planned = (
  place: Pick<Planned, 'method' | 'path' | 'params'>,
  operationId: string,
  summary: string,
): Planned => ({ ...place, operationId, summary, code: 'NotImplementedYet' });

const reads = (path: `/${string}`) => ({ method: 'get', path, params: functionParams }) as const;

/** Routes that have their place already and answer 501 until they do something. */
const PLANNED: readonly Planned[] = [
  planned(reads(`${FUNCTION}/logs`), 'readLogs', 'Reads the output of a function.'),
  planned(reads(`${FUNCTION}/build/logs`), 'readBuildLogs', 'Reads the output of the last build.'),
];

export const plannedRoutes = PLANNED.map(({ code, params, ...place }) =>
  operation(['NamespaceNotFound', 'InvalidRequest', code], {
    ...place,
    tags: ['not yet'],
    request: { params },
    responses: {},
  }),
);

export function registerPlanned(app: ApiApp): void {
  for (const [index, route] of plannedRoutes.entries()) {
    const { code, summary } = PLANNED[index] as Planned; // the routes were made from this very list
    app.openapi(route, () => {
      throw new SlessError(code, `not available in this version: ${summary}`);
    });
  }
}
