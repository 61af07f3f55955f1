import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubeconfig } from '../../src/adapters/kubernetes/kubeconfig.ts';
import type { Files } from '../api/zips.ts';
import { realCluster } from './adapter.ts';
import { type Building, buildingOf } from './building.ts';
import { drivers } from './driver.ts';
import { clusterEnvironment } from './environment.ts';
import { type InstallableEnvironment, type Installation, install, isInstallable } from './installation.ts';
import { npmPackageOf, wheelOf } from './packages.ts';
import { createTenant, type Tenant } from './tenant.ts';
import { timeLine, watchTimeline } from './timeline.ts';

const environment = clusterEnvironment();
if (isInstallable(environment) && environment.kanikoImage !== undefined)
  dependencies(environment, drivers(environment).at(-1)!);
else {
  if (environment !== undefined)
    console.warn(
      'SKIPPED: KANIKO_IMAGE is not set, so no code with dependencies is built; builds by append alone are driven',
    );
  test.skip('code with dependencies on a cluster', () => undefined);
}

/** From an upload to Ready, once the images are on the node. */
const MAX_READY_MS = 20_000;

const python = (word: string): Files => ({
  'handler.py': `import greeting\n\ndef handle(event):\n    return {"${word}": greeting.hello(event["name"])}\n`,
  'requirements.txt': './wheels/greeting-1.0-py3-none-any.whl\n',
  'wheels/greeting-1.0-py3-none-any.whl': wheelOf(
    'greeting',
    'def hello(name):\n    return f"hello {name}"\n',
  ),
});
const node = async (word: string): Promise<Files> => ({
  'handler.mjs': `import hello from 'greeting';\nexport const handle = (event) => ({ ${word}: hello(event.name) });\n`,
  'package.json': JSON.stringify({ dependencies: { greeting: 'file:vendor/greeting-1.0.0.tgz' } }),
  'vendor/greeting-1.0.0.tgz': await npmPackageOf(
    'greeting',
    "module.exports = (name) => 'hello ' + name;\n",
  ),
});
const script = (code: string): Files => ({
  'handler.js': 'exports.handle = () => 1;\n',
  'package.json': JSON.stringify({ scripts: { postinstall: 'node install.js' } }),
  'install.js': code,
});

function dependencies(given: InstallableEnvironment, driver: Parameters<typeof install>[1]): void {
  describe(`code with dependencies, driven by the ${driver}`, { timeout: 300_000 }, () => {
    const real = realCluster(kubeconfig({ path: given.kubeconfig }));
    let sless: Installation;
    let alice: Tenant;
    let builds: Building;

    beforeAll(async () => {
      sless = await install(given, driver, {
        operator: { BUILD_LIMITS: 'memory=768Mi,ephemeral-storage=1Gi' },
      });
      alice = await createTenant(sless, given.kubeconfig);
      builds = buildingOf(alice, given.kubeconfig);
    }, 600_000);
    afterAll(async () => {
      await alice?.drop();
      await sless?.close();
      await real.connection.close();
    });

    const declare = async (name: string, runtime: string, more: object = {}) => {
      await alice.call('POST', '/functions', { name, runtime, ...more });
      await alice.call('POST', '/triggers', { name, type: 'http', function: name });
    };
    const call = async (name: string) => {
      const headers = { 'content-type': 'application/json' };
      return (await alice.invoke(name, { method: 'POST', headers, body: '{"name":"мир"}' })).json();
    };

    test('a wheel and a tarball inside the zip are installed, and the function uses them', async () => {
      await declare('py', 'python3.11');
      await declare('node', 'nodejs20');
      const [py, js] = [
        await alice.upload('py', python('first')),
        await alice.upload('node', await node('first')),
      ];
      expect((await builds.ready('py', py)).image).toMatch(/@sha256:[0-9a-f]{64}$/);
      expect((await builds.ready('node', js)).image).toMatch(/@sha256:[0-9a-f]{64}$/);
      expect([await call('py'), await call('node')]).toEqual([
        { first: 'hello мир' },
        { first: 'hello мир' },
      ]);
    });

    test.each([
      ['python3.11', async () => python('timed')],
      ['nodejs20', () => node('timed')],
    ] as const)(
      'with its images on the node, an upload of %s is Ready within 20 s',
      async (runtime, code) => {
        const name = `timed-${runtime.slice(0, 4)}`;
        const timeline = watchTimeline(real.cluster, { namespace: alice.namespace, name });
        await declare(name, runtime);
        const files = await code();
        const begunAt = Date.now();
        await builds.ready(name, await alice.upload(name, files));
        const total = Date.now() - begunAt;
        timeline.close();
        expect(await call(name)).toEqual({ timed: 'hello мир' });
        console.info(`${timeline.text(begunAt)}\n${runtime}: ${timeLine(timeline, { begunAt, total })}`);
        expect(total).toBeLessThan(MAX_READY_MS);
      },
    );

    test('code without dependencies is built by its Dockerfile where its Function says so', async () => {
      await declare('forced', 'python3.11', { build: 'dockerfile' });
      const code = 'def handle(event):\n    return {"forced": event["name"]}\n';
      await builds.ready('forced', await alice.upload('forced', { 'handler.py': code }));
      expect(await call('forced')).toEqual({ forced: 'мир' });
    });

    test('a build that fails says why, with the last lines of what failed, and is tried once', async () => {
      const broken: Readonly<
        Record<string, { files: Files; runtime: string; wanted: string; words: RegExp }>
      > = {
        script: {
          files: script("console.error('the moon is missing'); process.exit(3);\n"),
          runtime: 'nodejs20',
          wanted: 'BuildFailed',
          words: /the dependencies could not be installed \(exit code 3\): .*the moon is missing/s,
        },
        absent: {
          files: { ...python('x'), 'requirements.txt': './wheels/absent-1.0-py3-none-any.whl\n' },
          runtime: 'python3.11',
          wanted: 'BuildFailed',
          words: /the dependencies could not be installed \(exit code 1\): .*absent-1\.0/s,
        },
        memory: {
          files: script('const all = [];\nfor (;;) all.push(Buffer.alloc(16_777_216, 1));\n'),
          runtime: 'nodejs20',
          wanted: 'BuildOutOfMemory',
          words: /more memory than a build may/,
        },
        disk: {
          files: script(
            "const file = require('node:fs').openSync('big', 'w');\nfor (let i = 0; i < 150; i++) require('node:fs').writeSync(file, Buffer.alloc(10_000_000));\nsetTimeout(() => {}, 120_000);\n",
          ),
          runtime: 'nodejs20',
          wanted: 'ImageTooLarge',
          words: /more disk than it may/,
        },
        slow: {
          files: script('setTimeout(() => {}, 1_000_000);\n'),
          runtime: 'nodejs20',
          wanted: 'BuildTimedOut',
          words: /took longer than buildTimeoutSeconds/,
        },
      };
      for (const [name, { files, runtime }] of Object.entries(broken)) {
        await declare(name, runtime, name === 'slow' ? { build_timeout_seconds: 30 } : {});
        await alice.upload(name, files);
      }
      for (const [name, { wanted, words }] of Object.entries(broken)) {
        const { reason, message } = await builds.failed(name, 150_000);
        expect({ name, reason }, message).toEqual({ name, reason: wanted });
        expect(message).toMatch(words);
        // The deadline takes its pod away.
        expect(await builds.pods(name)).toBe(name === 'slow' ? 0 : 1);
      }
    });
  });
}
