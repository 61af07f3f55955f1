import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

const FOLDER = resolve(import.meta.dirname, '../../charts/sless/files/rights');

/** What a role may do, as the rules of a ClusterRole: those of the chart. */
export const RIGHTS = {
  api: rightsOf('api'),
  proxy: rightsOf('proxy'),
  dispatcher: rightsOf('dispatcher'),
} as const;

function rightsOf(role: string): readonly object[] {
  return parse(readFileSync(`${FOLDER}/${role}.yaml`, 'utf8')) as readonly object[];
}
