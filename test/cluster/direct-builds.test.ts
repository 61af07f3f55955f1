import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers } from './driver.ts';
import { clusterEnvironment } from './environment.ts';
import { openStage, type Stage, wrongLogin } from './guarded-stage.ts';
import { type InstallableEnvironment, type install, isInstallable } from './installation.ts';
import { wheelOf } from './packages.ts';

const environment = clusterEnvironment();
if (isInstallable(environment) && environment.kanikoImage !== undefined)
  direct(environment, drivers(environment).at(-1)!);
else {
  if (environment !== undefined)
    console.warn('SKIPPED: KANIKO_IMAGE is not set, so nothing is built in one step');
  test.skip('builds in one step on a cluster', () => undefined);
}

/** The other way, for installations that belong to those who write the functions. */
function direct(given: InstallableEnvironment, driver: Parameters<typeof install>[1]): void {
  describe(`builds in one step that holds the logins, driven by the ${driver}`, { timeout: 300_000 }, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(given, driver, { BUILD_MODE: 'direct' });
      const { endpoint, accessKeyId, secretAccessKey } = stage.sless.store;
      const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
      await stage.giveSecret('sless-s3', { ...keys, S3_ENDPOINT: endpoint });
    }, 600_000);
    afterAll(() => stage?.close());

    test('the context comes from the store, the image goes to the registry, its digest is told', async () => {
      const { alice, builds } = stage;
      await stage.declare('direct', 'python3.11');
      const code = 'import greeting\n\ndef handle(event):\n    return greeting.hello(event["name"])\n';
      const key = await alice.upload('direct', {
        'handler.py': code,
        'requirements.txt': './greeting-1.0-py3-none-any.whl\n',
        'greeting-1.0-py3-none-any.whl': wheelOf(
          'greeting',
          'def hello(name):\n    return f"hello {name}"\n',
        ),
      });
      expect((await builds.ready('direct', key)).image).toMatch(/@sha256:[0-9a-f]{64}$/);
      expect(await stage.call('direct')).toBe('hello мир');
    });

    test('a login that is refused is told at once', async () => {
      const { alice, builds, registry } = stage;
      await stage.giveSecret('sless-registry-auth', wrongLogin(registry));
      await stage.declare('refused', 'nodejs20');
      await alice.upload('refused', {
        'handler.js': 'exports.handle = () => 1;\n',
        'package.json': JSON.stringify({ scripts: { postinstall: 'true' } }),
      });
      const { reason, message } = await builds.failed('refused');
      expect(reason, message).toBe('RegistryRefused');
      expect(await builds.pods('refused')).toBe(1);
    });
  });
}
