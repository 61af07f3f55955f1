import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that is about what may be thrown away. */
export const GC_SETTINGS = {
  gcGraceDays: setting({
    name: 'GC_GRACE_DAYS',
    roles: ['gc'],
    default: '7',
    meaning:
      'How many days nothing must have used an upload or an image before it goes. Counted from the first run that saw it unused.',
    parse: parse.count,
  }),
  gcImages: setting({
    name: 'GC_IMAGES',
    roles: ['gc'],
    default: 'true',
    meaning:
      'Whether images are looked at too. false for a registry that expires them by rules of its own, or that deletes none.',
    parse: parse.flag,
  }),
  registryAuthFile: setting({
    name: 'REGISTRY_AUTH_FILE',
    roles: ['gc', 'preflight'],
    meaning:
      'File with logins as docker keeps them (`config.json`, or the content of a dockerconfigjson Secret). It is read again at each login.',
    parse: parse.text,
  }),
} as const;
