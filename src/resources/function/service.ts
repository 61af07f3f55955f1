import { KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { SERVER_PORT } from './deployment.ts';
import { serverLabels, serverSelector } from './labels.ts';

/** The Service of a function: `http://{name}.{namespace}.svc:8080`. */
export function buildService(of: { readonly namespace: string; readonly name: string }): KubeObject {
  return {
    apiVersion: KINDS.Service.apiVersion,
    kind: KINDS.Service.kind,
    metadata: { name: of.name, namespace: of.namespace, labels: serverLabels(of.name) },
    spec: {
      ports: [{ name: 'http', port: SERVER_PORT, protocol: 'TCP', targetPort: 'http' }],
      selector: serverSelector(of.name),
    },
  };
}
