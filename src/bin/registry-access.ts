import { readFileSync } from 'node:fs';
import { createRegistryFetch, type RegistryFetch } from '../adapters/registry-fetch.ts';
import type { Config } from '../config/config.ts';

/** How this installation speaks to its registry. */
export function openRegistryFetch({ registryInsecure: insecure, registryCaFile }: Config): RegistryFetch {
  return createRegistryFetch({
    insecure,
    ...(registryCaFile === undefined ? {} : { ca: readFileSync(registryCaFile, 'utf8') }),
  });
}
