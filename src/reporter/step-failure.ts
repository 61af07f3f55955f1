import { type ErrorCode, isErrorCode } from '../errors.ts';
import type { Report } from '../resources/kube/report.ts';
import { withOutput, withoutSecrets } from './report-text.ts';

type Failure = Pick<Report, 'reason' | 'message'>;

/** What the end of a build's step means, by its exit code and the last lines of its output. */
export function stepFailure(step: string, exitCode: number, output: string): Failure {
  const own = OWN_STEPS[step];
  if (own !== undefined) return ownFailure(own, { step, exitCode, output });
  return step === 'build' ? kanikoFailure(exitCode, output) : unknownFailure(step, exitCode, output);
}

interface OwnStep {
  /** What did not succeed. */
  readonly sentence: string;
  /** Where the step does not say why. */
  readonly reason: ErrorCode;
  /** The codes that it may give; another one is something that passed by itself, had there been more tries. */
  readonly codes: ReadonlySet<string>;
}

const REGISTRY_FAULTS = new Set(['BuildFailed', 'BuilderUnavailable', 'ImageTooLarge', 'RegistryRefused']);

/** The steps that are commands of sless. They end with a line `sless <step>: <error code>: <message>`. */
const OWN_STEPS: Readonly<Record<string, OwnStep>> = {
  fetch: {
    sentence: 'the code could not be brought into the build',
    reason: 'SourceUnavailable',
    codes: new Set(['InvalidArchive', 'NoSuchVersion', 'ForbiddenSource']),
  },
  base: {
    sentence: "the runtime's image could not be brought into the build",
    reason: 'RegistryUnavailable',
    codes: REGISTRY_FAULTS,
  },
  push: {
    sentence: 'the image could not be put into the registry',
    reason: 'RegistryUnavailable',
    codes: REGISTRY_FAULTS,
  },
};

interface End {
  readonly step: string;
  readonly exitCode: number;
  readonly output: string;
}

function ownFailure({ sentence, reason, codes }: OwnStep, { step, exitCode, output }: End): Failure {
  const last = output.trim().split('\n').at(-1) ?? '';
  const [, who, code, said] = /^sless (\w+): (\w+): (.+)$/.exec(last) ?? [];
  if (who !== step || !isErrorCode(code))
    return { reason, message: withOutput(`${sentence} (exit code ${exitCode})`, output) };
  return { reason: codes.has(code) ? code : reason, message: withOutput(sentence, said) };
}

interface KanikoWord {
  readonly reason: ErrorCode;
  readonly sentence: string;
  /** Of the line with which kaniko ends. */
  readonly said: RegExp;
}

const AT_PUSH = 'the image could not be put into the registry';
const AT_BASE = "the runtime's image could not be pulled";

/**
 * Kaniko has one exit code for all that is not a script's own, and says what it was in its last line; the first of these that fits counts. An
 * install script could end with such a line and would spoil nothing but its own report.
 */
const KANIKO_WORDS: readonly KanikoWord[] = [
  {
    reason: 'RegistryRefused',
    sentence: AT_PUSH,
    said: /^error (pushing image|checking push permissions).*(UNAUTHORIZED|DENIED|denied|40[13] (Unauthorized|Forbidden)|status code 40[13])/,
  },
  {
    reason: 'ImageTooLarge',
    sentence: AT_PUSH,
    said: /^error pushing image.*(status code 413|SIZE_INVALID)/,
  },
  {
    reason: 'RegistryUnavailable',
    sentence: AT_PUSH,
    said: /^error (pushing image|checking push permissions)/,
  },
  {
    reason: 'RegistryRefused',
    sentence: AT_BASE,
    said: /^error building image: .*(UNAUTHORIZED|DENIED|status code 40[13] )/,
  },
  {
    reason: 'BuilderUnavailable',
    sentence: AT_BASE,
    said: /^error building image: .*(MANIFEST_UNKNOWN|NAME_UNKNOWN|status code 404 )/,
  },
  {
    reason: 'RegistryUnavailable',
    sentence: AT_BASE,
    said: /^error building image: .*(status code 5\d\d |dial tcp|i\/o timeout|no such host|TOOMANYREQUESTS|tls: |x509: )/,
  },
  { reason: 'ImageTooLarge', sentence: 'the build has no room left', said: /no space left on device/ },
];

/** With which its own last line begins. */
const KANIKO_END = /^error (building|pushing|checking|resolving) /;

function kanikoFailure(exitCode: number, output: string): Failure {
  const lines = output.trim().split('\n');
  const end = lines.findLast((line) => KANIKO_END.test(line)) ?? '';
  const word = KANIKO_WORDS.find(({ said }) => said.test(end));
  if (word !== undefined) return { reason: word.reason, message: withOutput(word.sentence, end) };
  // What pip or npm said comes before it, and is what the user wants to read.
  const said = wholeLines(output, lines).filter((line) => line !== end && !KANIKO_NOISE.test(line));
  return { reason: 'BuildFailed', message: notInstalled(exitCode, said.length === 0 ? [output] : said) };
}

/**
 * The line that says what was wrong goes first, for `kubectl get` shows no more of a message than its beginning: pip says it last, npm first.
 */
function notInstalled(exitCode: number, said: readonly string[]): string {
  const sentence = `the dependencies could not be installed (exit code ${exitCode})`;
  const telling =
    said.findLast((line) => line.startsWith('ERROR: ')) ??
    said.find((line) => /^npm (ERR!|error) (?!(code|syscall|path|errno|command) )/.test(line));
  if (telling === undefined) return withOutput(sentence, said.join('\n'));
  const rest = said.filter((line) => line !== telling).join('\n');
  return withOutput(`${sentence}: ${withoutSecrets(telling).slice(0, MAX_TELLING)}`, rest);
}

/** Characters of the line that goes first; a report has 2,048 in all. */
const MAX_TELLING = 300;

/** The kubelet keeps so many bytes of the end of a log as the message of a container, and so cuts into a line. */
const MAX_KEPT = 2048;

function wholeLines(output: string, lines: readonly string[]): readonly string[] {
  return Buffer.byteLength(output) < MAX_KEPT ? lines : lines.slice(1);
}

/** Kaniko's own log. */
const KANIKO_NOISE = /^(time="[^"]*" )?level=\w+ msg=/;

function unknownFailure(step: string, exitCode: number, output: string): Failure {
  const sentence = `the step ${step} failed with exit code ${exitCode}`;
  return { reason: 'BuildFailed', message: withOutput(sentence, output) };
}
