import { crc32 } from 'node:zlib';
import { refuseEntry } from './archive-error.ts';

/** What the central directory says of an entry's name. */
export interface RawName {
  readonly bytes: Buffer;
  /** General purpose bit 11: the bytes are UTF-8. */
  readonly isUtf8: boolean;
  /** Data of the Info-ZIP Unicode Path extra field (0x7075), where there is one. */
  readonly unicodePath: Buffer | undefined;
}

/**
 * Decodes the names of a whole zip. For each name, the first that holds: the Info-ZIP Unicode Path field whose checksum
 * matches; UTF-8, flagged or simply valid; the old code page of Windows, either CP866 (Cyrillic) or CP437 (Western),
 * chosen once for the zip by `looksCyrillic`.
 *
 * @throws SlessError `InvalidArchive` for a name that is flagged as UTF-8 and is not.
 */
export function decodeNames(names: readonly RawName[]): string[] {
  const decoded = names.map(decodeUnicode);
  const legacy = names.filter((_, index) => decoded[index] === undefined).map((name) => name.bytes);
  const codePage = looksCyrillic(legacy) ? decodeCp866 : decodeCp437;
  return names.map((name, index) => decoded[index] ?? codePage(name.bytes));
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const cp866 = new TextDecoder('ibm866');

function decodeUnicode(name: RawName): string | undefined {
  const fromExtra =
    name.unicodePath === undefined ? undefined : decodeUnicodePath(name.unicodePath, name.bytes);
  const text = fromExtra ?? decodeUtf8(name.bytes);
  if (text === undefined && name.isUtf8)
    throw refuseEntry(
      name.bytes.toString('latin1'),
      'is marked as UTF-8 and is not; zip again with UTF-8 names',
    );
  return text;
}

/** Version 1, the CRC-32 of the name that it stands for, then UTF-8 (Info-ZIP's extrafld.txt). A stale one is ignored. */
function decodeUnicodePath(field: Buffer, bytes: Buffer): string | undefined {
  if (field.length < 6 || field.readUInt8(0) !== 1 || field.readUInt32LE(1) !== crc32(bytes))
    return undefined;
  return decodeUtf8(field.subarray(5));
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Zips say nothing of their code page. Cyrillic words are runs of high bytes, each a letter in CP866; Western names have
 * single accented letters among ASCII ones. So: every high byte is a Cyrillic letter, and over all names more of them
 * stand beside each other than beside an ASCII letter.
 */
export function looksCyrillic(names: readonly Buffer[]): boolean {
  let together = 0;
  let beside = 0;
  for (const name of names) {
    for (const [index, byte] of name.entries()) {
      if (byte < 0x80) continue;
      if (!isCp866Letter(byte)) return false;
      const previous = name[index - 1] ?? 0;
      if (previous >= 0x80) together++;
      if (isAsciiLetter(previous)) beside++;
      if (isAsciiLetter(name[index + 1] ?? 0)) beside++;
    }
  }
  return together > beside;
}

function isCp866Letter(byte: number): boolean {
  return (byte >= 0x80 && byte <= 0xaf) || (byte >= 0xe0 && byte <= 0xf1);
}

function isAsciiLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}

function decodeCp866(bytes: Buffer): string {
  return cp866.decode(bytes);
}

/** The upper half of code page 437, which APPNOTE.TXT (appendix D) makes the default and no TextDecoder knows. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

function decodeCp437(bytes: Buffer): string {
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : CP437[byte - 0x80])).join('');
}
