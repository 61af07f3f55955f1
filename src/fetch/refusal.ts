import { type ErrorCode, isErrorCode, SlessError } from '../errors.ts';

/** EX_DATAERR, EX_NOPERM, EX_IOERR and EX_UNAVAILABLE of sysexits.h. The build Job's failure policy knows the first two. */
const EXIT = { data: 65, permission: 77, disk: 74, unavailable: 69 } as const;

/** The exit code that says how `sless fetch` failed. With 65 and 77 another try would fail the same way. */
export function exitCodeOf(error: SlessError): number {
  if (error instanceof DiskError) return EXIT.disk;
  switch (error.code) {
    case 'Unauthenticated':
    case 'Forbidden':
    case 'ForbiddenSource':
      return EXIT.permission;
    default:
      return error.actor === 'user' ? EXIT.data : EXIT.unavailable;
  }
}

/** The file cannot be written here; another pod may have the room. */
export class DiskError extends SlessError {}

/** A 401 may be a token that was renewed this moment; it is shown again, but not for long. */
const UNAUTHENTICATED_TRIES = 3;

/** Whether another try may succeed, when so many were made. */
export function mayPass(error: SlessError, tries: number): boolean {
  if (error instanceof DiskError) return false;
  if (error.code === 'Unauthenticated') return tries < UNAUTHENTICATED_TRIES;
  return error.actor !== 'user';
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The start of the body. */
  readonly text: string;
}

/** What the api said instead of sending the context. */
export function refusalOf({ status, retryAfter, text }: Answered): SlessError {
  const said = parse(text);
  const code = isErrorCode(said.code) ? said.code : codeOf(status);
  const wait = /^\d{1,4}$/.test(retryAfter ?? '') ? { retryAfterSeconds: Number(retryAfter) } : {};
  return new SlessError(code, said.error ?? `the api answered ${status}`, wait);
}

/** For answers that are not the api's own, such as a proxy's on the way. */
function codeOf(status: number): ErrorCode {
  if (status === 401) return 'Unauthenticated';
  if (status === 403) return 'Forbidden';
  if (status === 404) return 'NotFound';
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'InvalidRequest' : 'Unavailable';
}

function parse(text: string): { readonly code?: unknown; readonly error?: string } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return {};
    const { code, error } = body as Record<string, unknown>;
    return { code, ...(typeof error === 'string' ? { error } : {}) };
  } catch {
    return {};
  }
}
