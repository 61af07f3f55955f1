import type { KubeObject } from '../../../resources/kube/object.ts';

/**
 * Annotations such as `sless.dev/code-hash` hold `<s3Key>=<value>`: what they say is about that very key, and nothing
 * once a tool has set another one.
 */
export function keyedValue(
  object: KubeObject,
  annotation: string,
  key: string | undefined,
): string | undefined {
  const text = object.metadata.annotations?.[annotation];
  if (key === undefined || text === undefined || !text.startsWith(`${key}=`)) return undefined;
  return text.slice(key.length + 1);
}

/** The text of such an annotation. */
export function keyedText(key: string, value: string): string {
  return `${key}=${value}`;
}
