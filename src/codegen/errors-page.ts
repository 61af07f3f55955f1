import { ERRORS, type ErrorCode, type ErrorEntry } from '../errors.ts';
import { ERROR_MEANINGS } from './error-meanings.ts';
import type { GeneratedFile } from './generator.ts';

const INTRODUCTION = `# Error codes

Every error of sless carries a code of one closed table. The column *who* says who must act before it goes away: the
**user** (it stays failed until then), **time** (it is tried again, or worth trying again), or **us** (a bug, worth a report).
`;

const ANSWERS = `
## In answers

As \`code\` in the body of an answer of the REST API or of \`/fn\`.

| code | HTTP | who | what it means, what to do |
|---|---|---|---|
`;

const REASONS = `
## As reasons of conditions

As \`reason\` in a condition, in the REST API's \`conditions\` and in \`kubectl describe\`; \`message\` says more.

| reason | who | what it means, what to do |
|---|---|---|
`;

/** `docs/errors.md`, in the order of the table of codes. @throws Error naming the codes that have no meaning yet */
export function errorsPage(): readonly GeneratedFile[] {
  return [{ path: 'docs/errors.md', content: errorsText(ERROR_MEANINGS) }];
}

/** The page with these meanings: a code that was just added may have none yet, whatever its type says. */
export function errorsText(meanings: Partial<Record<ErrorCode, string>>): string {
  const codes = Object.keys(ERRORS) as ErrorCode[]; // the keys of a constant table are its codes
  const without = codes.filter((code) => !meanings[code]?.trim());
  if (without.length > 0) {
    throw new Error(
      `${without.join(', ')}: say in src/codegen/error-meanings.ts what it means and what to do`,
    );
  }
  const seenAs = (place: 'condition' | undefined) =>
    codes.map((code) => ({ code, ...entryOf(code) })).filter(({ seen }) => seen === place || seen === 'both');
  const answers = seenAs(undefined).map(
    ({ code, http, actor }) => `| \`${code}\` | ${http} | ${actor} | ${meanings[code]} |\n`,
  );
  const reasons = seenAs('condition').map(
    ({ code, actor }) => `| \`${code}\` | ${actor} | ${meanings[code]} |\n`,
  );
  return [INTRODUCTION, ANSWERS, ...answers, REASONS, ...reasons].join('');
}

const entryOf = (code: ErrorCode): ErrorEntry => ERRORS[code];
