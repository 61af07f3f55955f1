import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { imageOrders } from '../../../images/build-with-crane.ts';
import { buildImage } from '../../../images/crane/image.ts';
import { openRegistry } from '../../../images/crane/registry.ts';
import { kubeconfig } from '../../../src/adapters/kubernetes/kubeconfig.ts';
import type { Files } from '../../api/zips.ts';
import { findVersitygw, type S3Server, startVersitygw } from '../../contracts/versitygw.ts';
import { realCluster } from '../adapter.ts';
import { type ApiServer, apiServer } from '../api-server.ts';
import { createCleanup } from '../cleanup.ts';
import { clusterEnvironment } from '../environment.ts';
import { type InstallableEnvironment, isInstallable } from '../installation.ts';
import { type Issuer, startIssuer } from '../issuer.ts';
import { kubectl } from '../kubectl.ts';
import { startLoad } from '../load.ts';
import { installMetacontrollerCrds, removeMetacontrollerCrds } from '../metacontroller.ts';
import { makeNamespace } from '../namespace.ts';
import { createTenant, type Tenant } from '../tenant.ts';
import { timeLine, watchTimeline } from '../timeline.ts';
import { waitFor } from '../wait-for.ts';
import { ACCOUNT, type Caller, startCaller } from './caller.ts';
import { codeOf, said, withWheel } from './code.ts';
import { leftIn, removeLeftovers } from './leftovers.ts';
import { olderHome } from './older.ts';
import { type PodList, podsOf } from './pods.ts';
import { createRelease, handOverCrds, type Release } from './release.ts';
import { installValues, PULL_SECRET } from './values.ts';

const environment = clusterEnvironment();
const hasHelm = spawnSync('helm', ['version']).status === 0;
if (!hasHelm) console.warn('SKIPPED: there is no helm on the PATH, so the chart is not installed');
if (isInstallable(environment) && hasHelm) chart(environment);
else test.skip('the chart on a cluster', () => undefined);

const FIVE = ['one', 'two', 'three', 'four', 'five'];
/** From an upload to Ready, once the images are on the node: by append, and with dependencies. */
const MAX_READY_MS = 6_000;
const MAX_DEPENDENCIES_MS = 20_000;
const median = (of: readonly number[]) => of.toSorted((a, b) => a - b)[Math.floor((of.length - 1) / 2)];
/** As an administrator meets it: images, `helm install`, a function, an upgrade, the end, and a new beginning. */
function chart(given: InstallableEnvironment): void {
  describe('the chart', { timeout: 400_000 }, () => {
    const cleanup = createCleanup();
    const admin = kubectl(given.kubeconfig);
    const real = realCluster(kubeconfig({ path: given.kubeconfig }));
    cleanup.add('connection', () => real.connection.close());
    let server: ApiServer;
    let store: S3Server;
    let issuer: Issuer;
    let release: Release;
    let caller: Caller;
    let alice: Tenant;
    let images: { readonly older: string; readonly current: string };
    const values = (image: string) => installValues({ given, store, issuer, release, image });
    const urlOf = async (service: string) => `http://${await release.address(service)}:8080`;
    const enter = async () => ({
      api: { url: await urlOf('sless-api') },
      proxy: { url: await urlOf('sless-proxy') },
      issuer,
    });
    const startCalling = async () => {
      caller = await startCaller({ environment: given, release, admin });
      cleanup.add('caller', caller.stop);
    };
    const serves = (name: string, word: string, through: Tenant = alice) =>
      waitFor({
        for: `${name} answers ${word}`,
        timeoutMs: 120_000,
        look: async () => (await through.invoke(name)).text(),
        holds: (text) => text === said(word),
      });
    const ready = (name: string, key: string) =>
      waitFor({
        for: `${name} Ready`,
        timeoutMs: 180_000,
        look: () => alice.describe(name),
        holds: ({ phase, s3_key: at }) => phase === 'Ready' && at === key,
      });
    const declare = async (name: string) => {
      await alice.call('POST', '/functions', { name, runtime: 'python3.11' });
      await alice.call('POST', '/triggers', { name, type: 'http', function: name });
    };
    /** Milliseconds from an upload to Ready; their phases are printed. */
    const timeUpload = async (name: string, files: Files) => {
      const timeline = watchTimeline(real.cluster, { namespace: alice.namespace, name });
      const begunAt = Date.now();
      await ready(name, await alice.upload(name, files));
      const total = Date.now() - begunAt;
      timeline.close();
      console.info(timeLine(timeline, { begunAt, total }));
      return total;
    };
    const podsOfFunctions = () => podsOf(admin, alice.namespace);

    beforeAll(async () => {
      const connected = apiServer(given.kubeconfig);
      if (connected === undefined) throw new Error('no API server');
      server = connected;
      cleanup.add('API server', server.close);
      const registry = openRegistry({ host: given.registryHost, insecure: given.registryInsecure });
      const build = async (home?: string) => {
        const built = new Map<string, string>();
        for (const order of imageOrders(home)) built.set(order.image, await buildImage(registry, order));
        return [...built].find(([name]) => name.startsWith('sless:'))?.[1] ?? '';
      };
      images = { older: await build(olderHome()), current: await build() };
      await installMetacontrollerCrds(server);
      cleanup.add("Metacontroller's CRDs", () => removeMetacontrollerCrds(server));
      store = await startVersitygw(findVersitygw() ?? '', given.hostIp);
      cleanup.add('store', store.close);
      issuer = await startIssuer(given.hostIp);
      cleanup.add('issuer', () => issuer.close());
      const { name: namespace, drop } = await makeNamespace(admin);
      cleanup.add('system', drop);
      release = createRelease({ kubeconfig: given.kubeconfig, namespace, admin });
      await admin.apply({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: ACCOUNT, namespace },
      });
      await admin.run([
        ...['create', 'secret', 'docker-registry', PULL_SECRET, '-n', namespace],
        ...[`--docker-server=${given.registryHost}`, '--docker-username=nodes', '--docker-password=unused'],
      ]);
    }, 900_000);
    afterAll(async () => {
      await alice?.drop();
      await release?.uninstall();
      await cleanup.run();
    }, 200_000);

    test('an older version is installed; what it needs is there, and it says so', async () => {
      const begun = Date.now();
      await handOverCrds(admin, release.namespace);
      await release.install(values(images.older));
      console.info(`time helm_install total=${((Date.now() - begun) / 1000).toFixed(1)}s`);
      await startCalling();
      const report = await release.test();
      const missing = report.split('\n').filter((line) => line.startsWith('MISSING'));
      // It runs beside the cluster here, not in it.
      expect(missing, report).toEqual([expect.stringContaining('no pod runs as the ServiceAccount')]);
      expect(report).toContain('the controllers trust their certificate');
      expect(report).toMatch(/has the \d+ rights that it needs/);
    });

    test('a zip becomes a URL, five times', async () => {
      alice = await createTenant(await enter(), given.kubeconfig);
      const totals: number[] = [];
      for (const name of FIVE) {
        await declare(name);
        totals.push(await timeUpload(name, codeOf(name)));
        await serves(name, name);
      }
      // The images come to the node with the first.
      expect(median(totals.slice(1))).toBeLessThanOrEqual(MAX_READY_MS);
    });

    test.skipIf(given.kanikoImage === undefined)('a zip with a wheel in it becomes one, too', async () => {
      const totals: number[] = [];
      for (const name of ['wheel', 'wheel-too']) {
        await declare(name);
        totals.push(await timeUpload(name, withWheel(name)));
        await serves(name, name);
      }
      expect(totals[1]).toBeLessThanOrEqual(MAX_DEPENDENCIES_MS);
      await alice.call('DELETE', '/functions/wheel');
      await alice.call('DELETE', '/functions/wheel-too');
    });

    test('an upgrade of program and runtimes under load: no call fails, no function is restarted', async () => {
      const before = await podsOfFunctions();
      expect(before).toHaveLength(FIVE.length);
      const load = startLoad(`${await urlOf('sless-proxy')}/fn/${alice.namespace}/one`);
      await release.upgrade(values(images.current));
      await ready('two', await alice.upload('two', codeOf('after')));
      await serves('two', 'after');
      const { calls, failed, answers } = await load.stop();
      expect(failed).toEqual([]);
      expect(answers).toEqual([said('one')]);
      expect(calls).toBeGreaterThan(100);
      const after = await podsOfFunctions();
      expect(after.filter((pod) => before.includes(pod))).toHaveLength(FIVE.length - 1);
    });

    test('the certificate stays over an upgrade', async () => {
      const read = async () =>
        JSON.stringify(
          ((await admin.get('secret', 'sless-operator-tls', '-n', release.namespace)) as Data).data,
        );
      const before = await read();
      await release.upgrade({ ...values(images.current), settings: { LOG_LEVEL: 'debug' } });
      expect(await read()).toBe(before);
      await ready('three', await alice.upload('three', codeOf('again')));
    });

    test('no part was refused anything that it asked for', async () => {
      for (const role of ['operator', 'api', 'proxy']) {
        const selector = `app.kubernetes.io/component=${role}`;
        const log = await admin.run(['logs', '-n', release.namespace, '-l', selector, '--tail=-1']);
        // A namespace receives the api's right to bring Secrets there a moment after its label: until then it is refused, and tries again.
        const complaints = log
          .split('\n')
          .filter((line) => !line.includes('the Secrets of builds are not there yet'));
        expect(complaints.join('\n'), role).not.toMatch(/forbidden|cannot \w+ resource/i);
      }
      expect(caller.log()).not.toMatch(/forbidden/i);
    });

    test('it goes without hanging and leaves nothing but the functions, which run on', async () => {
      const before = await podsOfFunctions();
      await release.uninstall();
      const kinds =
        'deployments,services,configmaps,jobs,cronjobs,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,clusterroles,clusterrolebindings,compositecontrollers,decoratorcontrollers';
      const left = (await admin.run([
        ...['get', kinds, '-n', release.namespace, '-o', 'name'],
        ...['-l', 'app.kubernetes.io/part-of=sless'],
      ])) as string;
      expect(left.trim()).toBe('');
      await waitFor({
        for: 'the Secret of the certificate to be collected',
        look: () => admin.run(['get', 'secrets', '-n', release.namespace, '-o', 'name']),
        holds: (names) => names.trim() === `secret/${PULL_SECRET}`,
      });
      const { items } = (await admin.get('functions', '-n', alice.namespace)) as PodList;
      expect(items).toHaveLength(FIVE.length);
      expect(await podsOfFunctions()).toEqual(before);
    });

    test('installed again, the functions are served again as they are', async () => {
      const before = await podsOfFunctions();
      await caller.stop();
      await release.install(values(images.current));
      await startCalling();
      const words = { one: 'one', two: 'after', three: 'again', four: 'four', five: 'five' };
      const url = await urlOf('sless-proxy');
      for (const [name, word] of Object.entries(words))
        await waitFor({
          for: `${name} answers ${word} again`,
          look: async () => (await fetch(`${url}/fn/${alice.namespace}/${name}`)).text(),
          holds: (text) => text === said(word),
        });
      expect(await podsOfFunctions()).toEqual(before);
      const jobs = (await admin.get('jobs', '-n', alice.namespace)) as PodList;
      expect(jobs.items).toEqual([]);
    });

    test("what an uninstallation leaves in tenants' namespaces goes by the command of the page", async () => {
      await release.uninstall();
      await admin.run(['delete', 'functions,triggers', '--all', '-n', alice.namespace]);
      await waitFor({
        for: 'nothing to be left but what belongs to the namespace',
        timeoutMs: 120_000,
        look: () => leftIn(admin, alice.namespace),
        holds: (names) => !/^(deployment|replicaset|pod|service|job)\b/m.test(names),
      });
      expect(await leftIn(admin, alice.namespace)).toContain(`secret/${PULL_SECRET}`);
      await removeLeftovers(admin, alice.namespace);
      expect(await leftIn(admin, alice.namespace)).toBe('');
    });
  });
}

interface Data {
  readonly data: Readonly<Record<string, string>>;
}
