/** Who every container of a function runs as: nobody in particular, and not root. */
const USER = 65_532;

/** What keeps a container from being more than a process: no privileges, no writable root. */
export function confinedContainer(): object {
  return {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
    runAsGroup: USER,
    runAsNonRoot: true,
    runAsUser: USER,
  };
}

/** What all pods of sless have in common: no API token, no variables injected by Services, the runtime's own seccomp filter. */
export function confinedPod(): object {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { fsGroup: USER, seccompProfile: { type: 'RuntimeDefault' } },
  };
}
