/** What a role may do, as the rules of a ClusterRole. Nothing in it may be left out: the tests in pods hold it. */
export const RIGHTS = {
  api: [
    rule('', ['namespaces'], ['get', 'create']),
    rule('sless.dev', ['functions', 'triggers'], ['get', 'list', 'create', 'patch', 'delete']),
    // The reporter.
    rule('', ['pods'], ['list', 'watch']),
    rule('', ['pods/log'], ['get']),
    rule('batch', ['jobs'], ['get', 'list', 'patch']),
    rule('apps', ['deployments'], ['get', 'list', 'patch']),
    // A function that is deleted is waited for.
    rule('', ['services'], ['list']),
    rule('authentication.k8s.io', ['tokenreviews'], ['create']),
    rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  ],
  proxy: [
    rule('', ['namespaces'], ['list', 'watch']),
    rule('sless.dev', ['functions', 'triggers'], ['list', 'watch']),
    rule('discovery.k8s.io', ['endpointslices'], ['list', 'watch']),
  ],
} as const;

function rule(group: string, resources: readonly string[], verbs: readonly string[]): object {
  return { apiGroups: [group], resources, verbs };
}
