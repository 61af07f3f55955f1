import type { ObjectMeta } from '../../resources/kube/object.ts';

/** A container as far as local mode obeys it. Limits, volumes and security settings are not enforced here. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly envFrom?: readonly {
    readonly prefix?: string;
    readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  }[];
  readonly readinessProbe?: {
    readonly httpGet?: { readonly path?: string };
    readonly periodSeconds?: number;
    readonly timeoutSeconds?: number;
    readonly failureThreshold?: number;
  };
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly terminationGracePeriodSeconds?: number;
  readonly volumes?: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
}

/** The template of a Deployment's or a Job's pods. */
export interface PodTemplate {
  readonly metadata?: Partial<Pick<ObjectMeta, 'labels' | 'annotations'>>;
  readonly spec: PodSpec;
}
