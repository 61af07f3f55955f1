import { describe, expect, test } from 'vitest';
import { find, hasHelm, type Rendered, render } from './helm.ts';

describe.skipIf(!hasHelm())('the rights of the chart', () => {
  test('each role has an account of its own, and rights of its own', () => {
    const objects = render('full');
    for (const role of ['operator', 'api', 'proxy', 'dispatcher']) {
      const pod = find(objects, 'Deployment', `sless-${role}`).spec.template?.spec;
      expect(pod?.serviceAccountName).toBe(`sless-${role}`);
      expect(pod?.automountServiceAccountToken).toBe(role !== 'operator');
      find(objects, 'ServiceAccount', `sless-${role}`);
    }
    const names = objects.filter(({ kind }) => kind === 'ClusterRole').map(({ metadata }) => metadata.name);
    expect(names).not.toContain('sless-operator');
    const { rules } = find(objects, 'ClusterRole', 'sless-proxy');
    expect([...new Set(rules.flatMap(({ verbs }) => verbs))]).toEqual(['list', 'watch']);
  });

  test('an account may be one of AWS or another cloud: of whoever reads the store', () => {
    for (const role of ['api', 'gc', 'preflight']) {
      const set = `${role}.serviceAccount.annotations.eks\\.amazonaws\\.com/role-arn=arn`;
      const account = find(render('least', '--set', set), 'ServiceAccount', `sless-${role}`);
      expect(account.metadata.annotations).toEqual({ 'eks.amazonaws.com/role-arn': 'arn' });
    }
  });

  test('in the whole cluster nobody of ours changes what runs, or reads a Secret or a log', () => {
    const objects = render('full');
    const bound = objects.filter(
      ({ kind, metadata: { name } }) => kind === 'ClusterRoleBinding' && name !== 'sless-metacontroller',
    );
    expect(bound.length).toBeGreaterThan(5);
    const written = bound.flatMap(({ roleRef, metadata: { name } }) =>
      find(objects, 'ClusterRole', roleRef!.name).rules.flatMap(({ verbs, resources, resourceNames }) => {
        expect(resources, name).not.toContain('secrets');
        expect(resources, name).not.toContain('pods/log');
        const writes = verbs.some((verb) => !['get', 'list', 'watch'].includes(verb));
        return writes && resourceNames === undefined
          ? resources.map((resource) => `${name} ${resource}`)
          : [];
      }),
    );
    expect(written.sort()).toEqual([
      'sless-api functionjobs',
      'sless-api functions',
      'sless-api namespaces',
      'sless-api subjectaccessreviews',
      'sless-api tokenreviews',
      'sless-api triggers',
      'sless-gc functionjobs',
      'sless-preflight subjectaccessreviews',
    ]);
  });

  test('before an installation its certificate is made by somebody who can change nothing', () => {
    const rules = (name: string, objects = render('least')) =>
      find(objects, 'Role', name).rules.flatMap(({ resources, verbs }) =>
        verbs.map((verb) => `${verb} ${resources}`),
      );
    const early = ['create secrets', 'get secrets', 'get serviceaccounts'];
    expect(rules('sless-certificate-early').sort()).toEqual(early);
    expect(rules('sless-certificate').sort()).toEqual([...early, 'delete secrets', 'patch secrets'].sort());
    // Of one that cert-manager makes only the authority is read.
    expect(rules('sless-certificate', render('full')).sort()).toEqual(early.slice(1));
  });

  test("what they do in tenants' namespaces is in roles that nobody is bound to here", () => {
    const roles = ['sless-api-in-tenants', 'sless-dispatcher-in-tenants'];
    const full = render('full');
    expect(full.filter(({ roleRef }) => roles.includes(roleRef?.name ?? ''))).toEqual([]);
    const resources = (objects: readonly Rendered[], name: string) =>
      find(objects, 'ClusterRole', name).rules.flatMap(({ resources: of }) => of);
    expect(resources(full, roles[0]!)).toEqual(['pods/log', 'jobs', 'deployments']);
    expect(resources(full, roles[1]!)).toEqual(['configmaps', 'secrets']);
    const bare = render('full', '--set', 'dispatcher.ownBrokers=false');
    expect(resources(bare, roles[1]!)).toEqual(['configmaps']);
    const may = find(full, 'ClusterRole', 'sless-metacontroller').rules;
    expect(
      may.flatMap(({ verbs, resourceNames = [] }) => (verbs[0] === 'bind' ? resourceNames : [])),
    ).toEqual([...roles, 'sless-registry-secrets']);
  });
});
