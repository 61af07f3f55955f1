import type { Files } from '../../api/zips.ts';
import { wheelOf } from '../packages.ts';

/** What a function of that word answers. */
export const said = (word: string) => `{"word":"${word}"}`;
export const codeOf = (word: string) => ({
  'handler.py': `def handle(event):\n    return {"word": "${word}"}\n`,
});

const WHEEL = 'wheels/word-1.0-py3-none-any.whl';
/** The same from a dependency: pods have no way out, so it lies in the zip. */
export const withWheel = (word: string): Files => ({
  'handler.py': 'import word\n\ndef handle(event):\n    return {"word": word.WORD}\n',
  'requirements.txt': `./${WHEEL}\n`,
  [WHEEL]: wheelOf('word', `WORD = "${word}"\n`),
});
