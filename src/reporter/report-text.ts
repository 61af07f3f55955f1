/** `reportSchema`'s bound on a message. */
const MAX_MESSAGE = 2048;

/** A sentence and the last lines of output, which are cut at their beginning where both are too long. */
export function withOutput(sentence: string, output: string | undefined): string {
  const text = withoutSecrets(output?.trim() ?? '');
  if (text === '') return sentence;
  const room = MAX_MESSAGE - sentence.length - 2;
  if (text.length <= room) return `${sentence}: ${text}`;
  // Not between the halves of a character.
  return `${sentence}: …${text.slice(text.length - room + 1).replace(/^[\udc00-\udfff]/, '')}`;
}

/**
 * Output without what is known to be a secret by its form: passwords and signatures in URLs (registries lead pushes to
 * signed ones), bearer tokens, JWTs. A report is read by everyone who may see the Function.
 */
export function withoutSecrets(output: string): string {
  return output
    .replace(/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"']{1,512}@/gi, '$1…@')
    .replace(/\b(https?:\/\/[^\s?"'<>]{1,2048})\?[^\s"'<>]+/gi, '$1?…')
    .replace(/\b(bearer|basic) +[\w.~+/=-]{8,}/gi, '$1 …')
    .replace(/\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?/g, '…');
}
