import type { KubeObject } from '../../resources/kube/object.ts';
import type { Container } from './pod-spec.ts';

/** Reads a Secret of the pod's namespace. */
export type SecretReader = (name: string) => Promise<KubeObject | undefined>;

/** The environment of a container, or why there is none, in the words of a kubelet. */
export type ContainerEnv = { readonly env: Readonly<Record<string, string>> } | { readonly mistake: string };

/**
 * What `envFrom` and `env` come to, as a kubelet works it out: Secrets first, in their order, then the variables, in
 * which `$(NAME)` stands for what is known by then and `$$` for one dollar sign.
 */
export async function containerEnv(container: Container, readSecret: SecretReader): Promise<ContainerEnv> {
  const env: Record<string, string> = {};
  for (const { prefix = '', secretRef } of container.envFrom ?? []) {
    if (secretRef === undefined) return { mistake: 'only secretRef is supported in envFrom' };
    const secret = await readSecret(secretRef.name);
    if (secret !== undefined) Object.assign(env, secretEnv(secret, prefix));
    else if (secretRef.optional !== true)
      return { mistake: `secret ${JSON.stringify(secretRef.name)} not found` };
  }
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    if (valueFrom !== undefined) return { mistake: `valueFrom of ${name} is not supported` };
    env[name] = expand(value, env);
  }
  return { env };
}

/** Keys that cannot be names of variables are left out, as Kubernetes does. */
function secretEnv(secret: KubeObject, prefix: string): Record<string, string> {
  // The API server lets nothing but base64 texts into `data`.
  const data = (secret.data ?? {}) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(data)
      .map(([key, value]) => [prefix + key, Buffer.from(value, 'base64').toString('utf8')] as const)
      .filter(([name, value]) => /^[A-Za-z_.-][A-Za-z0-9_.-]*$/.test(name) && !value.includes('\0')),
  );
}

/** Kubernetes' syntax of references. One that leads nowhere stays as it is written. */
export function expand(text: string, known: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(known, name) ? (known[name] ?? whole) : whole;
  });
}
