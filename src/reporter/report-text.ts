/** `reportSchema`'s bound on a message. */
const MAX_MESSAGE = 2048;

/** A sentence and the last lines of output, which are cut at their beginning where both are too long. */
export function withOutput(sentence: string, output: string | undefined): string {
  const text = output?.trim() ?? '';
  if (text === '') return sentence;
  const room = MAX_MESSAGE - sentence.length - 2;
  if (text.length <= room) return `${sentence}: ${text}`;
  // Not between the halves of a character.
  return `${sentence}: …${text.slice(text.length - room + 1).replace(/^[\udc00-\udfff]/, '')}`;
}
