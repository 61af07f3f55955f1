import fc from 'fast-check';

/** A body and what its request says of it. */
export interface AnyBody {
  readonly type: string;
  readonly body: Buffer;
}

const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('', 'a', '\u00e9', '😀', 'a b', '\0', '"', '\\'),
);

/** JSON, well formed or cut, with what readers of it differ in. */
const json: fc.Arbitrary<AnyBody> = fc
  .tuple(
    fc.constantFrom('application/json', 'application/problem+json', 'application/json; charset=utf-8', ''),
    fc.oneof(
      { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          ...[
            'NaN',
            'Infinity',
            '-Infinity',
            '1e400',
            '-0',
            '1E5',
            '01',
            '.5',
            '1.',
            '+1',
            '12345678901234567890',
          ],
          ...[
            '"\\ud800"',
            '"\\ud83d\\ude00"',
            '"\\u0000"',
            '"\t"',
            "'a'",
            '{"a":1,"a":2}',
            '{"__proto__":1}',
            '[1,]',
          ],
          ...[
            '{a:1}',
            '\ufeff[1]',
            ' [1] ',
            '\u00a0[1]',
            '"\u2028"',
            '[1]x',
            '// c\n1',
            '',
            ' ',
            'null',
            '"\\x41"',
          ],
          '['.repeat(3000),
        ),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
    ),
  )
  .map(([type, of]) => ({ type, body: Buffer.from(of) }));

const pairs = fc
  .array(fc.stringMatching(/^[a-c%2=+&;\u00e9 ]{0,8}$/), { maxLength: 4 })
  .map((of) => ({ type: 'application/x-www-form-urlencoded', body: Buffer.from(of.join('&')) }));

const eol = fc.oneof(
  { weight: 20, arbitrary: fc.constant('\r\n') },
  { weight: 1, arbitrary: fc.constantFrom('\n', '\r', '') },
);
const disposition = fc
  .tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.constant('form-data') },
      { weight: 1, arbitrary: fc.constantFrom('attachment', 'FORM-DATA', 'form-data x', '') },
    ),
    fc.array(
      fc.tuple(
        fc.constantFrom('; ', ';', ' ; ', ';\t', ';\u00a0', ';\u001f'),
        fc.constantFrom('name', 'name', 'Name', 'filename', 'filename*', 'x'),
        fc.oneof(
          fc.constantFrom(
            '"a"',
            '"b%22c"',
            'plain',
            '"',
            '""',
            '"a\\"b"',
            "UTF-8''x",
            '"\\\n"',
            '"a;b=c"',
            '"\u00e9"',
          ),
          text.map((of) => `"${of}"`),
        ),
      ),
      { maxLength: 3 },
    ),
  )
  .map(
    ([kind, parameters]) =>
      kind + parameters.map(([before, name, value]) => `${before}${name}=${value}`).join(''),
  );
const part = fc
  .tuple(
    disposition,
    fc.constantFrom('', 'Content-Type: text/plain', 'X', ': y', '\u00e9: z'),
    text,
    eol,
    eol,
    eol,
  )
  .map(([of, more, content, first, second, third]) => {
    const head = `Content-Disposition: ${of}${first}${more === '' ? '' : `${more}\r\n`}`;
    return `${second}${head}\r\n${content}${third}`;
  });
const multipart: fc.Arbitrary<AnyBody> = fc
  .tuple(
    fc.constantFrom('B', '"B"', 'b b', '"b b"', '', '"a\\"b"', 'B;x=y', "'B'", '\u00e9'),
    fc.constantFrom('', 'before', 'before\r\n', '\r\n'),
    fc.array(part, { maxLength: 3 }),
    fc.constantFrom('--', '--\r\n', '--after', '', '-'),
  )
  .map(([said, before, parts, end]) => {
    const boundary = said.replaceAll('"', '').replaceAll('\\', '').split(';')[0] ?? '';
    const body = `${before}${parts.map((of) => `--${boundary}${of}`).join('')}--${boundary}${end}`;
    return { type: `multipart/form-data; boundary=${said}`, body: Buffer.from(body) };
  });

export const anyBody: fc.Arbitrary<AnyBody> = fc.oneof(json, pairs, multipart);
