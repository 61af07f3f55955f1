import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers } from './driver.ts';
import { clusterEnvironment } from './environment.ts';
import { openStage, type Stage, wrongLogin } from './guarded-stage.ts';
import { type InstallableEnvironment, type install, isInstallable } from './installation.ts';

const environment = clusterEnvironment();
if (isInstallable(environment)) guarded(environment, drivers(environment).at(-1)!);
else test.skip('builds with a registry that asks for a login', () => undefined);

/** Told at once, and not when three pods have tried. */
const REFUSED_MS = 20_000;
const PYTHON = { 'handler.py': 'def handle(event):\n    return {"hello": event["name"]}\n' };

function guarded(given: InstallableEnvironment, driver: Parameters<typeof install>[1]): void {
  describe(`builds with a registry that asks for a login, driven by the ${driver}`, {
    timeout: 300_000,
  }, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(given, driver);
    }, 600_000);
    afterAll(() => stage?.close());

    test('the step that pushes shows the login', async () => {
      const { alice, builds } = stage;
      await stage.declare('append', 'python3.11');
      await builds.ready('append', await alice.upload('append', PYTHON));
      expect(await stage.call('append')).toEqual({ hello: 'мир' });
    });

    test('a login that is refused is told at once, and the next one is used by a rebuild', async () => {
      const { alice, builds, registry } = stage;
      await stage.giveSecret('sless-registry-auth', wrongLogin(registry));
      await stage.declare('refused', 'python3.11');
      const begunAt = Date.now();
      const key = await alice.upload('refused', PYTHON);
      const { reason, message } = await builds.failed('refused');
      const total = Date.now() - begunAt;
      console.info(`time refused_login_to_failed total=${(total / 1000).toFixed(1)}s`);
      expect(reason, message).toBe('RegistryRefused');
      expect(message).toContain('the image could not be put into the registry: ');
      expect(total).toBeLessThan(REFUSED_MS);
      expect(await builds.pods('refused')).toBe(1);
      await stage.giveSecret('sless-registry-auth', registry.dockerConfig);
      await alice.call('POST', '/functions/refused/rebuild');
      await builds.ready('refused', key);
    });
  });
}
