/** What a model said, when it said it as it was asked to. */
export type ModelVerdict = { readonly safe: true } | { readonly safe: false; readonly reason: string };

const TEXT = '"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*"';
const SAFE = '"safe"\\s*:\\s*(?<safe>true|false)';
const REASON = `"reason"\\s*:\\s*(?<reason>${TEXT}|null)`;
/** One object of these two names at most, in either order, and nothing around it: neither a second answer nor a key twice. */
const FORMS = [
  new RegExp(`^\\s*\\{\\s*${SAFE}\\s*(?:,\\s*${REASON}\\s*)?\\}\\s*$`),
  new RegExp(`^\\s*\\{\\s*${REASON}\\s*,\\s*${SAFE}\\s*\\}\\s*$`),
];
const MAX_REASON = 300;

/** Reads an answer strictly; `undefined` for everything that is not exactly what was asked for. */
export function readVerdict(answer: string): ModelVerdict | undefined {
  const groups = FORMS.map((form) => form.exec(answer)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return undefined;
  if (groups.safe === 'true') return { safe: true };
  const reason = groups.reason === undefined ? null : (JSON.parse(groups.reason) as string | null); // matched as such
  return { safe: false, reason: oneLine(reason ?? '') || 'the review found it unsafe' };
}

/** A model's words go to a person: no control characters, and not without end. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);
}
