import { LABELS } from '../kube/labels.ts';

/** What selects a function's pods. A selector cannot be changed, so these two never may be. */
export function serverSelector(name: string): Record<string, string> {
  return { [LABELS.component]: 'server', [LABELS.function]: name };
}

/** Labels of a function's Deployment, Service and pods. */
export function serverLabels(name: string): Record<string, string> {
  return { [LABELS.managedBy]: 'sless', ...serverSelector(name) };
}

/** Labels of a build Job and its pod; the first three are what build tools and network policies select by. */
export function buildLabels(namespace: string, name: string): Record<string, string> {
  return {
    [LABELS.app]: 'sless-builder',
    [LABELS.managedBy]: 'sless',
    [LABELS.builderFunctionName]: name,
    [LABELS.builderFunctionNamespace]: namespace,
    [LABELS.component]: 'build',
    [LABELS.function]: name,
  };
}
