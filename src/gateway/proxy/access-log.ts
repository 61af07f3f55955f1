import type { Logger } from '../../ports/logger.ts';
import type { Admitted } from './admitted.ts';
import type { CallReport } from './stats.ts';

/** One line for a call that ended. The path is left out: it may hold what is nobody's business. */
export function logCall(logger: Logger, call: Admitted, report: CallReport): void {
  const { request, route, requestId, peer } = call;
  logger.info(
    {
      requestId,
      namespace: route.namespace,
      function: route.name,
      method: request.method,
      peer: peer.address,
      ...report,
      milliseconds: Math.round(report.milliseconds),
    },
    'call',
  );
}
