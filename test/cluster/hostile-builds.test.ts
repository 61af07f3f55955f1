import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Files } from '../api/zips.ts';
import { type End, isAllowed } from '../tenants/reach.ts';
import { drivers } from './driver.ts';
import { clusterEnvironment } from './environment.ts';
import { openStage, type Stage } from './guarded-stage.ts';
import {
  type Findings,
  METADATA,
  outcomes,
  PLATFORM,
  policiesIn,
  probe,
  type Target,
  volumesIn,
} from './hostile/findings.ts';
import { type InstallableEnvironment, type install, isInstallable } from './installation.ts';

const environment = clusterEnvironment();
if (isInstallable(environment) && environment.kanikoImage !== undefined)
  hostile(environment, drivers(environment).at(-1)!);
else {
  if (environment !== undefined)
    console.warn('SKIPPED: KANIKO_IMAGE is not set, so no install script looks for credentials');
  test.skip('hostile install scripts on a cluster', () => undefined);
}

const HOSTILE: Readonly<Record<string, { runtime: string; files: (targets: readonly Target[]) => Files }>> = {
  'hostile-npm': {
    runtime: 'nodejs20',
    files: (targets) => ({
      'handler.js': "exports.handle = () => require('./findings.json');\n",
      'package.json': JSON.stringify({ scripts: { postinstall: 'node probe.cjs targets.json' } }),
      'probe.cjs': probe('probe.cjs'),
      'targets.json': JSON.stringify({ targets, out: 'findings.json' }),
    }),
  },
  'hostile-pip': {
    runtime: 'python3.11',
    files: (targets) => ({
      'handler.py':
        'import json, pathlib, sysconfig\n\ndef handle(event):\n    folder = pathlib.Path(sysconfig.get_path("purelib"))\n    return json.loads((folder / "probe_findings.json").read_text())\n',
      'requirements.txt': './probe\n',
      'probe/pyproject.toml':
        '[build-system]\nrequires = []\nbuild-backend = "probe"\nbackend-path = ["."]\n\n[project]\nname = "probe"\nversion = "1.0"\n',
      'probe/probe.py': probe('probe.py'),
      'probe/targets.json': JSON.stringify({ targets }),
    }),
  },
};

function hostile(given: InstallableEnvironment, driver: Parameters<typeof install>[1]): void {
  describe(`hostile install scripts, driven by the ${driver}`, { timeout: 300_000 }, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(given, driver);
    }, 600_000);
    afterAll(() => stage?.close());

    test.each(Object.keys(HOSTILE))('%s finds nothing of value in its install step', async (name) => {
      const attack = HOSTILE[name]!;
      const { alice, builds, registry, sless } = stage;
      const { namespace } = alice;
      const server = 'https://kubernetes.default.svc';
      const { endpoint, bucket, ...keys } = sless.store;
      await stage.declare(name, attack.runtime);
      const targets = [
        { name: 'secrets', url: `${server}/api/v1/namespaces/${namespace}/secrets` },
        { name: 'pods', url: `${server}/api/v1/namespaces/${namespace}/pods` },
        {
          name: 'push',
          url: `https://${registry.at}/v2/sless/${namespace}/x/blobs/uploads/`,
          method: 'POST',
        },
        { name: 'store', url: `${endpoint}/${bucket}?list-type=2` },
        { name: 'api', url: `${sless.api.url}/v1/namespaces/${namespace}/functions` },
        { name: 'context', url: `${sless.internalUrl}/internal/contexts/${namespace}/append?key=x` },
        { name: 'operator', url: `${sless.operator.url}/sync/function`, method: 'POST' },
        METADATA,
      ];
      await builds.ready(name, await alice.upload(name, attack.files(targets)));
      const { answers, ...local } = (await stage.call(name)) as Findings;
      const { metadata, ...asked } = outcomes(answers);
      expect(asked).toEqual({
        secrets: 403,
        pods: 403,
        push: 401,
        store: 403,
        api: 401,
        context: 401,
        // It has nobody to know: a hook is asked about an object that comes with the question, and knows no other.
        operator: 400,
      });
      expect(metadata, 'no answer at all').toEqual(expect.any(String));
      expect(local.user).toBe('65532:65532');
      // What a credential of this installation looks like, wherever it may lie.
      const all = JSON.stringify(local);
      for (const secret of [...registry.secrets, keys.secretAccessKey]) expect(all).not.toContain(secret);
      expect(all).not.toMatch(/eyJ[\w-]{10,}\.[\w-]{10,}/);
      expect(all).not.toMatch(/AWS_|DOCKER_AUTH|KUBERNETES_SERVICE/);
      const paths = local.files.map(({ path }) => path);
      expect(
        paths.filter((path) => /serviceaccount|\/var\/run\/sless|^\/docker|config\.json$/.test(path)),
      ).toEqual([]);
      expect(volumesIn(local.mounts)).toEqual(['/registry-ca', '/work']);
      // The step before has left what this one builds from, and the probes saw it.
      expect(paths).toContain('/work/context.tar.gz');
    });

    test('the policy of builds keeps them from what a cloud tells its machines, and lets them reach the registry', async () => {
      const { alice, registry } = stage;
      const policies = await policiesIn(given, alice.namespace);
      const from: End = { namespace: alice.namespace, labels: { 'sless.dev/component': 'build' } };
      const to = (address: string, port: number) => isAllowed(policies, { from, to: { address }, port });
      const [host = '', port] = registry.at.split(':');
      expect(to(host, Number(port))).toBe(true);
      for (const address of ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254', '10.96.0.1'])
        expect(to(address, 80), address).toBe(false);
    });

    test('the policy of builds keeps them from the platform, but for the port of the api with their contexts', async () => {
      const { alice, sless } = stage;
      const policies = await policiesIn(given, alice.namespace);
      const from: End = { namespace: alice.namespace, labels: { 'sless.dev/component': 'build' } };
      const reached = PLATFORM.flatMap((component) => {
        const labels = { 'app.kubernetes.io/name': 'sless', 'app.kubernetes.io/component': component };
        const to: End = { namespace: 'sless-system', labels };
        const ports = [8080, 8082, 8443, 9090].filter((port) => isAllowed(policies, { from, to, port }));
        return ports.map((port) => `${component}:${port}`);
      });
      expect(reached).toEqual(['api:8082']);
      for (const url of [sless.store.endpoint, sless.api.url, sless.operator.url]) {
        const { hostname: address, port } = new URL(url);
        expect(isAllowed(policies, { from, to: { address }, port: Number(port) }), url).toBe(false);
      }
    });

    test('a link in the place of the image leads the next step nowhere', async () => {
      const { alice, builds } = stage;
      await stage.declare('linked', 'nodejs20');
      const install = "require('node:fs').symlinkSync('/tmp/elsewhere.tar', '/work/image.tar');\n";
      await alice.upload('linked', {
        'handler.js': 'exports.handle = () => 1;\n',
        'package.json': JSON.stringify({ scripts: { postinstall: 'node install.js' } }),
        'install.js': install,
      });
      const { reason, message } = await builds.failed('linked');
      expect(reason, message).toBe('BuildFailed');
      expect(message).toContain('the build left no image that can be read (ELOOP)');
      expect(await builds.pods('linked')).toBe(1);
    });
  });
}
