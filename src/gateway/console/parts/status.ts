import { html } from 'hono/html';
import { ERRORS, isErrorCode } from '../../../errors.ts';
import type { FunctionAnswer } from '../../api/functions/answer.ts';
import type { Markup } from './markup.ts';

/** What a state asks of whoever looks at it, and its colour. */
export type Tone = 'good' | 'busy' | 'bad' | 'off' | 'wait';

export interface State {
  readonly tone: Tone;
  readonly word: string;
  /** One word of the table of errors, or of the operator. */
  readonly reason: string;
  readonly message: string;
  /** Whether nothing is wanted of it now. */
  readonly stopped: boolean;
}

type Told = Pick<FunctionAnswer, 'phase' | 'message' | 'conditions' | 's3_key'>;

/** A function's state in the words that people look for. */
export function stateOf({ phase, message, conditions, s3_key }: Told): State {
  const reason = conditions.find(({ type }) => type === 'Ready')?.reason ?? phase;
  const stopped = phase === 'Ready' && reason === 'Stopped';
  const told = { reason, message, stopped };
  if (stopped) return { ...told, tone: 'off', word: 'Stopped' };
  if (phase === 'Ready') return { ...told, tone: 'good', word: 'Ready' };
  if (phase === 'Failed') return { ...told, tone: 'bad', word: 'Failed' };
  if (phase === 'Pending' && s3_key === null) return { ...told, tone: 'wait', word: 'No code yet' };
  // It is tried again and again, and nothing but its owner will make it end otherwise.
  if (isErrorCode(reason) && ERRORS[reason].actor === 'user')
    return { ...told, tone: 'bad', word: 'Failing' };
  return { ...told, tone: 'busy', word: phase };
}

/** The state as a word with a dot. The colour says nothing that the word does not. */
export function statusPill({ tone, word }: Pick<State, 'tone' | 'word'>): Markup {
  return html`<span class="status ${tone}"><span class="dot" aria-hidden="true"></span>${word}</span>`;
}

/** Who must act for an error to go away. */
export function remedy(reason: string): string {
  if (!isErrorCode(reason)) return '';
  const { actor } = ERRORS[reason];
  if (actor === 'time') return 'sless tries again by itself.';
  return actor === 'user' ? 'It stays so until you change something.' : 'This is a fault of the platform.';
}
