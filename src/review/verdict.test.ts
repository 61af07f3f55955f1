import { describe, expect, test } from 'vitest';
import { readVerdict } from './verdict.ts';

describe('an answer as it was asked for', () => {
  test.each([
    ['{"safe": true}', { safe: true }],
    [' {"safe":true}\n', { safe: true }],
    ['{"safe": true, "reason": "fine"}', { safe: true }],
    ['{"safe": true, "reason": null}', { safe: true }],
    ['{"reason": "mines", "safe": false}', { safe: false, reason: 'mines' }],
    ['{"safe": false, "reason": "a \\"b\\" \\u0041"}', { safe: false, reason: 'a "b" A' }],
    ['{"safe": false}', { safe: false, reason: 'the review found it unsafe' }],
    ['{"safe": false, "reason": "\\u001b[31mred\\n\\n line"}', { safe: false, reason: '[31mred line' }],
  ])('%s', (answer, verdict) => {
    expect(readVerdict(answer)).toEqual(verdict);
  });

  test('a long reason is cut', () => {
    const verdict = readVerdict(JSON.stringify({ safe: false, reason: 'x'.repeat(5000) }));
    expect(verdict).toEqual({ safe: false, reason: 'x'.repeat(300) });
  });
});

describe('everything else is no answer', () => {
  test.each([
    '',
    'safe',
    'true',
    'The code is fine: {"safe": true}',
    '```json\n{"safe": true}\n```',
    '{"safe": true} {"safe": false}',
    '{"safe": false}\n{"safe": true}',
    '{"safe": false, "safe": true}',
    '{"reason": "x", "safe": false, "safe": true}',
    '{"s\\u0061fe": true}',
    '{"safe": "true"}',
    '{"safe": 1}',
    '{"safe": true, "confidence": 1}',
    '[{"safe": true}]',
    '{"safe": true',
    "{'safe': true}",
    '{"safe": false, "reason": "a\nb"}',
    '{"safe": false, "reason": 7}',
  ])('%j', (answer) => {
    expect(readVerdict(answer)).toBeUndefined();
  });
});
