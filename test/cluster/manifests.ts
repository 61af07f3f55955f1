import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/resources/kube/object.ts';

const FOLDER = resolve(import.meta.dirname, '../../manifests');

/** The objects of a file in `manifests/`. */
export function manifest(name: string): KubeObject[] {
  const text = readFileSync(`${FOLDER}/${name}`, 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
}

/** The same under a name of its own, so that nobody else on this cluster is met by it. */
export function renamed(object: KubeObject, name: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, name } };
}
