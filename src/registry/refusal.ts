import { type ErrorCode, SlessError } from '../errors.ts';

/**
 * EX_DATAERR, EX_NOINPUT, EX_UNAVAILABLE, EX_CANTCREAT and EX_NOPERM of sysexits.h: how a step that speaks with the registry says what went wrong.
 * The build Job's failure policy knows all of them but `unavailable`: with these another try would fail the same way.
 */
const EXIT_CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  BuildFailed: 65,
  InvalidArchive: 65,
  BuilderUnavailable: 66,
  RegistryUnavailable: 69,
  ImageTooLarge: 73,
  RegistryRefused: 77,
};

const UNAVAILABLE = 69;

/** The exit code for an error of such a step. */
export function exitCodeOf({ code }: SlessError): number {
  return EXIT_CODES[code] ?? UNAVAILABLE;
}

/** Whether another try may succeed. */
export function mayPass({ code }: SlessError): boolean {
  return code === 'RegistryUnavailable';
}

interface Word {
  readonly code: ErrorCode;
  readonly said: RegExp;
}

/** What registries say in the codes of the distribution spec, and crane in its own words; the first that fits counts. */
const WORDS: readonly Word[] = [
  // The file that the step before has left is no image.
  {
    code: 'BuildFailed',
    said: /\b(loading \S+ as (tarball|OCI layout)|file manifest\.json not found in tar)/,
  },
  { code: 'ImageTooLarge', said: /\b(status code 413|413 Request Entity Too Large|SIZE_INVALID)\b/i },
  {
    code: 'RegistryRefused',
    said: /\b(UNAUTHORIZED|DENIED|unauthorized|denied:|status code 40[13]|40[13] (Unauthorized|Forbidden))/,
  },
  { code: 'BuilderUnavailable', said: /\b(MANIFEST_UNKNOWN|NAME_UNKNOWN|status code 404)\b/ },
];

/** What a failure of crane is, by the last lines that it said. */
export function craneFailure(lastLines: readonly string[]): SlessError {
  // Its complaint is the last one; what comes before are blobs that went well.
  const complaint = lastLines.findLast((line) => line.startsWith('Error: ')) ?? lastLines.at(-1) ?? '';
  const code = WORDS.find(({ said }) => said.test(complaint))?.code ?? 'RegistryUnavailable';
  return new SlessError(code, complaint.replace(/^Error: /, '') || 'crane ended without a word');
}
