import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that the operator writes into the steps of builds that speak with the registry. */
export const PUSH_SETTINGS = {
  pushImage: setting({
    name: 'PUSH_IMAGE',
    roles: ['push'],
    required: ['push'],
    meaning: 'Set in build pods: where the image goes.',
    parse: parse.text,
  }),
  pushFile: setting({
    name: 'PUSH_FILE',
    roles: ['push'],
    required: ['push'],
    meaning: 'Set in build pods: the file with the layer, or with the whole image.',
    parse: parse.text,
  }),
  pushBase: setting({
    name: 'PUSH_BASE',
    roles: ['push'],
    meaning: 'Set in build pods: the image that the layer goes upon. Without it the file is a whole image.',
    parse: parse.text,
  }),
  baseImage: setting({
    name: 'BASE_IMAGE',
    roles: ['base'],
    required: ['base'],
    meaning: 'Set in build pods: the image that the build stands on.',
    parse: parse.text,
  }),
  baseFolder: setting({
    name: 'BASE_FOLDER',
    roles: ['base'],
    required: ['base'],
    meaning: 'Set in build pods: the folder that this image is brought into.',
    parse: parse.text,
  }),
  registryCa: setting({
    name: 'REGISTRY_CA',
    roles: ['base', 'push'],
    meaning: "Set in build pods: the file with the registry's own CA.",
    parse: parse.text,
  }),
} as const;
