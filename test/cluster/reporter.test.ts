import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import { createReporter, type Reporter } from '../../src/reporter/reporter.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { ANNOTATIONS } from '../../src/resources/kube/labels.ts';
import { parseReport, type Report } from '../../src/resources/kube/report.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { realCluster } from './adapter.ts';
import { clusterEnvironment } from './environment.ts';
import { type Kubectl, kubectl as kubectlFor } from './kubectl.ts';
import { makeNamespace, type TestNamespace } from './namespace.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();

/** What real kubelets and controllers write is what the reporter reads, down to the names of ReplicaSets. */
describe.skipIf(environment === undefined)('the reporter on a cluster', () => {
  let kubectl: Kubectl;
  let cluster: Cluster;
  let close: () => void;
  let reporter: Reporter;
  let namespace: TestNamespace;
  beforeAll(async () => {
    const path = environment?.kubeconfig ?? '';
    kubectl = kubectlFor(path);
    const real = realCluster(kubeconfig({ path }));
    cluster = real.cluster;
    close = () => real.connection.close();
    namespace = await makeNamespace(kubectl);
    reporter = createReporter({ cluster, logger: silentLogger });
    await waitFor({ for: 'the reporter knows all pods', look: () => reporter.ready(), holds: Boolean });
  });
  afterAll(async () => {
    reporter?.close();
    close?.();
    await namespace?.drop();
  });

  const labels = (name: string, component: string) => ({
    'sless.dev/component': component,
    'sless.dev/function': name,
  });
  const container = (script: string) => ({
    name: 'function',
    image: 'busybox',
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', script],
    terminationMessagePolicy: 'FallbackToLogsOnError',
  });
  const deploy = (name: string, changes: object) =>
    kubectl.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: namespace.name, labels: labels(name, 'server') },
      spec: {
        selector: { matchLabels: labels(name, 'server') },
        template: {
          metadata: { labels: labels(name, 'server') },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [{ ...container('sleep 3600'), ...changes }],
          },
        },
      },
    });
  const reportOn = async (kind: 'Deployment' | 'Job', name: string): Promise<Report | undefined> => {
    const object = await cluster.get({ kind: KINDS[kind], namespace: namespace.name, name });
    return parseReport(object?.metadata.annotations?.[ANNOTATIONS.report]);
  };
  const reported = (kind: 'Deployment' | 'Job', name: string, reason: string | undefined) =>
    waitFor({
      for: `${kind} ${name} says ${reason}`,
      look: () => reportOn(kind, name),
      holds: (report) => report?.reason === reason,
    });

  test('a crash is told on the Deployment with its code and last lines, and cleared when it is mended', async () => {
    await deploy('crashes', container('echo "no such module"; exit 7'));
    const report = await reported('Deployment', 'crashes', 'CrashLoop');
    expect(report).toMatchObject({ container: 'function', exitCode: 7, image: 'busybox' });
    expect(report?.message).toMatch(/exit code 7.*no such module/s);
    await deploy('crashes', {});
    await reported('Deployment', 'crashes', undefined);
  });

  test.each([
    ['an image that is nowhere', { image: 'nowhere/nothing:1' }, 'ImagePullFailed'],
    ['a Secret that is missing', { envFrom: [{ secretRef: { name: 'fn-none' } }] }, 'ContainerConfigInvalid'],
    [
      'too much memory',
      {
        command: ['sh', '-c', 'tail /dev/zero'],
        resources: { limits: { memory: '16Mi' } },
      },
      'OutOfMemory',
    ],
  ])('%s is told', async (what, changes, reason) => {
    const name = what.replaceAll(' ', '-').toLowerCase();
    await deploy(name, changes);
    await reported('Deployment', name, reason);
  });

  const build = (name: string, push: string) =>
    kubectl.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace: namespace.name, labels: labels(name, 'build') },
      spec: {
        backoffLimit: 0,
        template: {
          metadata: { labels: labels(name, 'build') },
          spec: {
            restartPolicy: 'Never',
            initContainers: [{ ...container('true'), name: 'fetch' }],
            containers: [{ ...container(push), name: 'push' }],
          },
        },
      },
    });

  test('the digest that a build leaves in its termination message is told on the Job', async () => {
    const digest = `sha256:${'ab'.repeat(32)}`;
    await build('pushes', `echo "registry:5000/sless/ns/f@${digest}" > /dev/termination-log`);
    const report = await waitFor({
      for: 'the digest',
      look: () => reportOn('Job', 'pushes'),
      holds: (found) => found?.digest !== undefined,
    });
    expect(report).toEqual({ digest, finishedAt: expect.any(String) });
  });

  test('the step of a build that failed is told with what it said', async () => {
    await build(
      'refused',
      'echo "sless push: RegistryRefused: UNAUTHORIZED: authentication required"; exit 77',
    );
    const report = await reported('Job', 'refused', 'RegistryRefused');
    expect(report).toMatchObject({ container: 'push', exitCode: 77 });
    expect(report?.message).toContain('UNAUTHORIZED');
  });
});
