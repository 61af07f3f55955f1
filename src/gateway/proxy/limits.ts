/** A count of calls in flight that knows its bound. */
export interface Gauge {
  count: number;
  limit: number;
  /** Those of them whose body is still on its way through. */
  uploads: number;
}

/** The calls in flight of one function, and of its tenant. Plain numbers: they are touched twice in every call. */
export interface InFlight {
  readonly own: Gauge;
  readonly tenant: Gauge;
  /** How many of the function's uploads each caller has, by its address. */
  readonly uploaders: Map<string, number>;
}

/** Which bound is reached: of the calls of the function or its tenant, of their uploads, or of the caller's uploads. */
export type Bound = 'function' | 'tenant' | 'uploads' | 'uploader';

/**
 * Of all places, what uploads may hold together, and what those of one caller may: an upload ends when its sender
 * pleases, so that a few senders who fall silent would keep everyone else out.
 */
const UPLOADS_SHARE = 3 / 4;
const UPLOADER_SHARE = 1 / 2;

export function newGauge(limit: number): Gauge {
  return { count: 0, limit, uploads: 0 };
}

/** Which bound is reached for a call that has nothing to wait for. */
export function boundOf({ own, tenant }: InFlight): Bound | undefined {
  if (own.count >= own.limit) return 'function';
  if (tenant.count >= tenant.limit) return 'tenant';
  return undefined;
}

/** Which bound is reached, if one is; else the call is counted and `leave` must follow. */
export function enter(inFlight: InFlight): Bound | undefined {
  const reached = boundOf(inFlight);
  if (reached !== undefined) return reached;
  inFlight.own.count += 1;
  inFlight.tenant.count += 1;
  return undefined;
}

/** The same for a call whose body is carried while it comes. `uploaded` must follow, and `leave` after that. */
export function enterUpload(inFlight: InFlight, caller: string): Bound | undefined {
  const { own, tenant, uploaders } = inFlight;
  const callers = uploaders.get(caller) ?? 0;
  if (own.uploads >= share(own, UPLOADS_SHARE) || tenant.uploads >= share(tenant, UPLOADS_SHARE))
    return boundOf(inFlight) ?? 'uploads';
  if (callers >= share(own, UPLOADER_SHARE)) return boundOf(inFlight) ?? 'uploader';
  const reached = enter(inFlight);
  if (reached !== undefined) return reached;
  own.uploads += 1;
  tenant.uploads += 1;
  uploaders.set(caller, callers + 1);
  return undefined;
}

/** The function that takes one call at a time can take an upload too. */
const share = ({ limit }: Gauge, part: number): number => Math.max(1, Math.floor(limit * part));

/** The body is through, or nobody waits for it any more; the call goes on. */
export function uploaded({ own, tenant, uploaders }: InFlight, caller: string): void {
  own.uploads -= 1;
  tenant.uploads -= 1;
  const left = (uploaders.get(caller) ?? 1) - 1;
  if (left === 0) uploaders.delete(caller);
  else uploaders.set(caller, left);
}

/** One call less. */
export function leave({ own, tenant }: InFlight): void {
  own.count -= 1;
  tenant.count -= 1;
}
