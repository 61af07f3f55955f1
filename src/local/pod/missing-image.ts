import { LABELS } from '../../resources/kube/labels.ts';
import type { KubeObject } from '../../resources/kube/object.ts';

/** What a pod waits for whose image is not in the folder of images, and how its owner gets it back. */
export function missingImage({ metadata }: KubeObject, image: string): string {
  const missing = `there is no image ${image} here`;
  const name = metadata.labels?.[LABELS.function];
  if (name === undefined) return missing;
  return `${missing}: POST /v1/namespaces/${metadata.namespace}/functions/${name}/rebuild makes it anew`;
}
