import type { Kind } from '../../resources/kube/kinds.ts';
import { DNS_1035_LABEL, DNS_1123_LABEL, DNS_1123_SUBDOMAIN } from '../../resources/kube/names.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { membersOf } from './defaults/pod.ts';

/** All annotations of an object share 256 KiB (`TotalAnnotationSizeLimitB` of apimachinery). */
const MAX_ANNOTATION_BYTES = 262_144;
const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** One line for each mistake in what every object carries: names, labels, annotations, keys of data. */
export function metadataMistakes(kind: Kind, object: KubeObject): string[] {
  const { labels, annotations } = object.metadata;
  return [
    ...nameMistakes(kind, object.metadata.name),
    ...labelMistakes(labels ?? {}),
    ...annotationMistakes(annotations ?? {}),
    ...(kind.kind === 'ConfigMap' || kind.kind === 'Secret' ? dataMistakes(object) : []),
  ];
}

function nameMistakes(kind: Kind, name: string): string[] {
  if (kind.kind === 'Namespace') return wrongName(name, DNS_1123_LABEL, 63);
  if (kind.kind === 'Service') return wrongName(name, DNS_1035_LABEL, 63);
  return wrongName(name, DNS_1123_SUBDOMAIN, 253);
}

function wrongName(name: unknown, pattern: RegExp, max: number): string[] {
  if (typeof name !== 'string' || name === '') return ['metadata.name: is required'];
  if (pattern.test(name) && name.length <= max) return [];
  return [
    `metadata.name: ${JSON.stringify(name)} must match ${pattern.source} and have at most ${max} characters`,
  ];
}

function isQualifiedName(key: string): boolean {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  return LABEL_NAME.test(key.slice(slash + 1)) && (prefix === undefined || DNS_1123_SUBDOMAIN.test(prefix));
}

function labelMistakes(labels: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...(isQualifiedName(key) ? [] : [`metadata.labels: ${JSON.stringify(key)} is not a label's name`]),
    ...(typeof value === 'string' && LABEL_VALUE.test(value)
      ? []
      : [
          `metadata.labels.${key}: ${JSON.stringify(value)} must be at most 63 letters, digits, "-", "_" or ".", beginning and ending with a letter or digit`,
        ]),
  ]);
}

function annotationMistakes(annotations: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(annotations);
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  return [
    ...entries.flatMap(([key, value]) => [
      ...(isQualifiedName(key)
        ? []
        : [`metadata.annotations: ${JSON.stringify(key)} is not an annotation's name`]),
      ...(typeof value === 'string' ? [] : [`metadata.annotations.${key}: must be a string`]),
    ]),
    ...(bytes > MAX_ANNOTATION_BYTES
      ? [`metadata.annotations: ${bytes} bytes together, at most ${MAX_ANNOTATION_BYTES} are allowed`]
      : []),
  ];
}

function dataMistakes(object: KubeObject): string[] {
  const keys = Object.keys(membersOf(object.data)).filter((key) => !DATA_KEY.test(key));
  return [
    ...keys.map((key) => `data: ${JSON.stringify(key)} is not a key: letters, digits, "-", "_" and "."`),
    ...undecodable(object),
  ];
}

/** One line for each entry of data that the API server cannot even read, which it says before anything else. */
export function undecodable(object: KubeObject): string[] {
  if (object.kind !== 'ConfigMap' && object.kind !== 'Secret') return [];
  return Object.entries(membersOf(object.data)).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [`data.${key}: must be a string`];
    return object.kind === 'Secret' && !isBase64(value) ? [`data.${key}: must be base64`] : [];
  });
}

const isBase64 = (text: string) =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
