/** What a preflight says of one thing. `note`: it works, and could be better. `missing`: it does not work so. */
export interface Finding {
  readonly level: 'ok' | 'note' | 'missing';
  /** One sentence. */
  readonly says: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export const ok = (says: string): Finding => ({ level: 'ok', says });
export const note = (says: string, remedy: string): Finding => ({ level: 'note', says, remedy });
export const missing = (says: string, remedy?: string): Finding => ({
  level: 'missing',
  says,
  ...(remedy === undefined ? {} : { remedy }),
});

const MARKS = { ok: 'ok     ', note: 'note   ', missing: 'MISSING' } as const;

/** The findings as text, a line or two each. */
export function reportText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ level, says, remedy }) => [
    `${MARKS[level]} ${says}`,
    ...(remedy === undefined ? [] : [`        → ${remedy}`]),
  ]);
  const lacking = findings.filter(({ level }) => level === 'missing').length;
  const verdict = lacking === 0 ? 'nothing is missing' : `${lacking} missing`;
  return `${[...lines, verdict].join('\n')}\n`;
}
