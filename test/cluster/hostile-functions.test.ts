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
if (isInstallable(environment)) hostile(environment, drivers(environment).at(-1)!);
else test.skip('hostile functions on a cluster', () => undefined);

const HOSTILE: Readonly<Record<string, Files>> = {
  nodejs20: {
    'handler.js': "exports.handle = ({ targets }) => require('./probe.cjs').findings(targets);\n",
    'probe.cjs': probe('probe.cjs'),
  },
  'python3.11': {
    'handler.py': 'import probe\n\ndef handle(event):\n    return probe.findings(event["targets"])\n',
    'probe.py': probe('probe.py'),
  },
};

/** A function that a tenant has written to find what is not its own. The kubelet of a node for tests is open, so it is left out. */
function hostile(given: InstallableEnvironment, driver: Parameters<typeof install>[1]): void {
  describe(`hostile functions, driven by the ${driver}`, { timeout: 300_000 }, () => {
    let stage: Stage;
    const word = `unnamed-${crypto.randomUUID()}`;
    beforeAll(async () => {
      stage = await openStage(given, driver);
      // Of the same namespace, and named by no Function.
      await stage.giveSecret('fn-of-another', { WORD: word });
    }, 600_000);
    afterAll(() => stage?.close());

    test.each(Object.keys(HOSTILE))('one of %s finds nothing of value around it', async (runtime) => {
      const { alice, builds, registry, sless } = stage;
      const name = runtime.startsWith('python') ? 'hostile-py' : 'hostile-node';
      await stage.declare(name, runtime);
      await builds.ready(name, await alice.upload(name, HOSTILE[runtime]!));
      const { endpoint, bucket, ...keys } = sless.store;
      const { namespace } = alice;
      const server = 'https://kubernetes.default.svc';
      const targets: Target[] = [
        { name: 'secrets', url: `${server}/api/v1/namespaces/${namespace}/secrets` },
        { name: 'pods', url: `${server}/api/v1/namespaces/${namespace}/pods` },
        { name: 'functions', url: `${server}/apis/sless.dev/v1alpha1/namespaces/${namespace}/functions` },
        { name: 'push', url: `https://${registry.at}/v2/sless/x/blobs/uploads/`, method: 'POST' },
        { name: 'store', url: `${endpoint}/${bucket}?list-type=2` },
        { name: 'api', url: `${sless.api.url}/v1/namespaces/${namespace}/functions` },
        { name: 'context', url: `${sless.internalUrl}/internal/contexts/${namespace}/${name}?key=x` },
        { name: 'operator', url: `${sless.operator.url}/sync/function`, method: 'POST' },
        METADATA,
      ];
      const answer = await alice.invoke(name, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ targets }),
      });
      expect(answer.status).toBe(200);
      const { answers, ...local } = (await answer.json()) as Findings;
      const { metadata, ...asked } = outcomes(answers);
      expect(metadata, 'no answer at all').toEqual(expect.any(String));
      expect(asked).toEqual({
        secrets: 403,
        pods: 403,
        functions: 403,
        push: 401,
        store: 403,
        api: 401,
        context: 401,
        // It has nobody to know: a hook is asked about an object that comes with the question, and knows no other.
        operator: 400,
      });
      expect(local.user).toBe('65532:65532');
      const all = JSON.stringify([local, answers]);
      for (const secret of [...registry.secrets, keys.secretAccessKey, word])
        expect(all.includes(secret), 'a secret was found').toBe(false);
      expect(/eyJ[\w-]{10,}\.[\w-]{10,}/.exec(all)?.[0], 'a token was found').toBeUndefined();
      const environments = JSON.stringify([local.env, local.environments]);
      expect(environments).not.toMatch(/AWS_|DOCKER_AUTH|S3_|RABBITMQ|DATABASE_URL/);
      const paths = local.files.map(({ path }) => path);
      expect(paths.filter((path) => /serviceaccount|\/var\/run\/sless|config\.json$/.test(path))).toEqual([]);
      expect(volumesIn(local.mounts)).toEqual(['/tmp']);
      // The probe saw what is everybody's, so it would have seen the rest.
      expect(paths).toContain('/etc/passwd');
      expect(local.environments.join()).toContain('SLESS_ENTRYPOINT');
    });

    test('its policy keeps it from all of these, and from what a cloud tells its machines', async () => {
      const { alice, registry, sless } = stage;
      const policies = await policiesIn(given, alice.namespace);
      const from: End = { namespace: alice.namespace, labels: { 'sless.dev/component': 'server' } };
      const allows = (to: End, port: number) => isAllowed(policies, { from, to, port });
      expect(allows({ address: '93.184.216.34' }, 443)).toBe(true);
      const urls = [sless.store.endpoint, sless.api.url, sless.internalUrl, sless.operator.url];
      for (const url of [...urls, `https://${registry.at}`, 'https://10.96.0.1:443']) {
        const { hostname: address, port } = new URL(url);
        expect(allows({ address }, Number(port || 443)), url).toBe(false);
      }
      for (const address of ['169.254.169.254', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254'])
        expect(allows({ address }, 80), address).toBe(false);
      for (const component of PLATFORM) {
        const labels = { 'app.kubernetes.io/name': 'sless', 'app.kubernetes.io/component': component };
        for (const port of [8080, 8082, 8443, 9090])
          expect(allows({ namespace: 'sless-system', labels }, port), `${component}:${port}`).toBe(false);
      }
    });
  });
}
