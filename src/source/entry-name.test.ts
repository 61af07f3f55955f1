import { describe, expect, test } from 'vitest';
import { decodeNames, looksCyrillic, type RawName } from './entry-name.ts';

/** Code page 866 has А–п at 0x80 and р–я at 0xE0. */
function cp866(text: string): Buffer {
  return Buffer.from(
    Array.from(text, (letter) => {
      const code = letter.codePointAt(0) ?? 0;
      if (code < 0x80) return code;
      return code < 0x440 ? code - 0x410 + 0x80 : code - 0x440 + 0xe0;
    }),
  );
}

const raw = (bytes: Buffer, isUtf8 = false): RawName => ({ bytes, isUtf8, unicodePath: undefined });
const decode = (...names: Buffer[]): string[] => decodeNames(names.map((name) => raw(name)));

describe('names without the UTF-8 flag', () => {
  test('that are UTF-8 are taken as UTF-8', () => {
    expect(decode(Buffer.from('naïve/привет/日本.py'))).toEqual(['naïve/привет/日本.py']);
  });

  test('in the Cyrillic code page of Windows are readable', () => {
    const names = ['Отчёт за год.txt'.replace('ё', 'е'), 'данные/файл_1.csv', 'Новая папка/тест.py'];
    expect(decode(...names.map(cp866))).toEqual(names);
  });

  test('in the Western code page of DOS are readable', () => {
    const names = [
      Buffer.from('r\x82sum\x82.txt', 'latin1'),
      Buffer.from('\x9Abersicht.txt', 'latin1'),
      Buffer.from('ma\xa4ana.txt', 'latin1'),
    ];
    expect(decode(...names)).toEqual(['résumé.txt', 'Übersicht.txt', 'mañana.txt']);
  });

  test('are judged together: a short one follows the others', () => {
    expect(decode(cp866('я.py'), cp866('привет.py'))).toEqual(['я.py', 'привет.py']);
  });

  test('of any other code page stay distinct and one to one', () => {
    const all = Array.from({ length: 128 }, (_, index) => Buffer.from([0xb0, 0x80 + index]));
    expect(new Set(decode(...all)).size).toBe(128);
    expect(decode(...all).every((name) => [...name].length === 2)).toBe(true);
  });
});

test('a byte order mark stays part of the name', () => {
  expect(decode(Buffer.from('\ufeffa.py'))).toEqual(['\ufeffa.py']);
});

test.each([
  ['nothing but ASCII', ['a.py'], false],
  ['a box-drawing byte', ['\x8f\x90\xb3'], false],
  ['accents among ASCII letters', ['caf\x82', '\x90t\x90'], false],
  ['words of high bytes', ['\x8f\xe0\xa8'], true],
])('looksCyrillic: %s', (_, names, expected) => {
  expect(looksCyrillic(names.map((name) => Buffer.from(name, 'latin1')))).toBe(expected);
});
