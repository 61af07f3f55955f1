import { ERRORS, type ErrorCode } from '../errors.ts';
import { ERROR_MEANINGS } from './error-meanings.ts';
import type { GeneratedFile } from './generator.ts';

const INTRODUCTION = `# Error codes

Every error of sless carries a code of this one table: as \`code\` in a REST answer, as \`reason\` in a condition of \`kubectl describe\`. The column *who* says who
must act before it goes away: the **user** (it stays failed until then), **time** (it is tried again, or worth trying again), or **us** (a bug, worth a report).

| code | HTTP | who | what it means, what to do |
|---|---|---|---|
`;

/** `docs/errors.md`, in the order of the table of codes. */
export function errorsPage(): readonly GeneratedFile[] {
  const codes = Object.keys(ERRORS) as ErrorCode[]; // the keys of a constant table are its codes
  const rows = codes.map((code) => {
    const { http, actor } = ERRORS[code];
    return `| \`${code}\` | ${http} | ${actor} | ${ERROR_MEANINGS[code]} |\n`;
  });
  return [{ path: 'docs/errors.md', content: INTRODUCTION + rows.join('') }];
}
