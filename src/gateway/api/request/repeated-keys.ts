/** More of them are not named: they come from one mistake. */
const MAX_NAMED = 10;
const MAX_KEY_SHOWN = 100;

/**
 * The keys that an object of a JSON text has more than once, as they are shown in an error. Parsers keep the last of them
 * without a word (RFC 8259 §4 leaves it open), and another reader may keep the first. JSON.parse cannot be asked, so the
 * text is gone over once more. It must have been parsed before: only what valid JSON can hold is looked for, in one pass
 * and without recursion.
 */
export function repeatedKeys(json: string): readonly string[] {
  const repeated = new Set<string>();
  /** The keys of the objects around this place; `undefined` stands for a list. */
  const around: (Set<string> | undefined)[] = [];
  let isKey = false;
  for (let at = 0; at < json.length && repeated.size < MAX_NAMED; at += 1) {
    switch (json[at]) {
      case '{':
        around.push(new Set());
        isKey = true;
        break;
      case '[':
        around.push(undefined);
        isKey = false;
        break;
      case '}':
      case ']':
        around.pop();
        break;
      case ',':
        isKey = around.at(-1) !== undefined;
        break;
      case '"': {
        const end = endOfText(json, at);
        if (isKey && isRepeated(around.at(-1), json.slice(at, end + 1)))
          repeated.add(json.slice(at, end + 1).slice(0, MAX_KEY_SHOWN));
        isKey = false;
        at = end;
      }
    }
  }
  return [...repeated];
}

/** `"a"` and `"\u0061"` are one key. */
function isRepeated(keys: Set<string> | undefined, quoted: string): boolean {
  const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1); // a quoted text
  if (keys === undefined || keys.has(key)) return keys !== undefined;
  keys.add(key);
  return false;
}

/** The position of the quotation mark that ends the text that begins at `start`. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}
