/** A count of calls in flight that knows its bound. */
export interface Gauge {
  count: number;
  limit: number;
}

/** The calls in flight of one function, and of its tenant. Plain numbers: they are touched twice in every call. */
export interface InFlight {
  readonly own: Gauge;
  readonly tenant: Gauge;
}

/** Which bound is reached, if one is; else the call is counted and `leave` must follow. */
export function enter({ own, tenant }: InFlight): 'function' | 'tenant' | undefined {
  if (own.count >= own.limit) return 'function';
  if (tenant.count >= tenant.limit) return 'tenant';
  own.count += 1;
  tenant.count += 1;
  return undefined;
}

/** One call less. */
export function leave({ own, tenant }: InFlight): void {
  own.count -= 1;
  tenant.count -= 1;
}
