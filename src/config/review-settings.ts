import * as parse from './parse.ts';
import { setting } from './setting.ts';

const MAX_TIMEOUT_MS = 120_000;

/** The part of the table that is about reading code before it is stored. */
export const REVIEW_SETTINGS = {
  llmEnabled: setting({
    name: 'LLM_ENABLED',
    roles: ['api'],
    default: 'false',
    meaning:
      'Whether uploaded code is reviewed before it is stored: by fixed rules, then by a language model. Refused code is answered with 400.',
    parse: parse.flag,
  }),
  llmEndpoint: setting({
    name: 'LLM_ENDPOINT',
    roles: ['api'],
    defaultNote: 'required with LLM_ENABLED=true',
    meaning: 'Root of an API with the chat completions of OpenAI, such as https://api.example.org/v1.',
    parse: parse.baseUrl,
  }),
  llmModel: setting({
    name: 'LLM_MODEL',
    roles: ['api'],
    defaultNote: 'required with LLM_ENABLED=true',
    meaning: 'Name of the model, as that API knows it. It is kept beside each verdict.',
    parse: parse.text,
  }),
  llmApiKey: setting({
    name: 'LLM_API_KEY',
    roles: ['api'],
    secret: true,
    meaning: 'Key of that API.',
    parse: parse.text,
  }),
  llmApiKeyFile: setting({
    name: 'LLM_API_KEY_FILE',
    roles: ['api'],
    meaning: 'File with the key, in place of LLM_API_KEY. It is read again, so that keys may be rotated.',
    parse: parse.text,
  }),
  llmTimeout: setting({
    name: 'LLM_TIMEOUT',
    roles: ['api'],
    default: '15s',
    meaning: 'How long an upload waits for the model.',
    parse: parse.duration(MAX_TIMEOUT_MS),
  }),
  llmPromptFile: setting({
    name: 'LLM_PROMPT_FILE',
    roles: ['api'],
    defaultNote: '`src/review/default-prompt.txt`',
    meaning: 'File with what the model is asked; it holds {runtime} and {files_content}.',
    parse: parse.text,
  }),
  llmFailClosed: setting({
    name: 'LLM_FAIL_CLOSED',
    roles: ['api'],
    default: 'false',
    meaning:
      'Whether code is refused (503) when the model cannot be asked. Otherwise it passes with a warning and counts as unreviewed.',
    parse: parse.flag,
  }),
} as const;
