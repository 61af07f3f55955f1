import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that no administrator sets: the operator writes it into the pods of builds. */
export const FETCH_SETTINGS = {
  contextUrl: setting({
    name: 'CONTEXT_URL',
    roles: ['fetch'],
    required: ['fetch'],
    meaning: 'Set in build pods: where the build context comes from.',
    parse: parse.anyUrl,
  }),
  contextFile: setting({
    name: 'CONTEXT_FILE',
    roles: ['fetch', 'base'],
    required: ['fetch', 'base'],
    meaning: 'Set in build pods: the file that the next step reads.',
    parse: parse.text,
  }),
  contextFormat: setting({
    name: 'CONTEXT_FORMAT',
    roles: ['fetch'],
    required: ['fetch'],
    meaning: 'Set in build pods: layer (of an image) or context (for a Dockerfile).',
    parse: parse.oneOf('layer', 'context'),
  }),
  contextTokenFile: setting({
    name: 'CONTEXT_TOKEN_FILE',
    roles: ['fetch'],
    required: ['fetch'],
    meaning: "Set in build pods: the file with the pod's token.",
    parse: parse.text,
  }),
} as const;
