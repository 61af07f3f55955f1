import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRelay } from '../network/relay.ts';
import { fn, slice } from '../proxy/objects.ts';
import { BROKER, type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { endRoles, type Role, startRole } from '../roles/role.ts';
import { openSurroundings, type Surroundings } from '../roles/surroundings.ts';
import { configMapOf, consumerOf, NAMESPACE, namespaceOf, triggerOf } from './objects.ts';
import { type Pod, startPod, text } from './pod.ts';
import { until } from './stage.ts';

const isLong = process.env.SOAK === '1';
const MESSAGES = isLong ? 50_000 : 5000;
const KILLS = 3;
const CUTS = 5;

/** The dispatcher as a process, killed and cut off again and again. */
describe.skipIf(withoutBroker !== undefined)('the dispatcher as a process, on RabbitMQ', () => {
  let broker: Broker;
  let around: Surroundings;
  let pod: Pod;
  beforeEach(async () => {
    broker = await openBroker();
    around = await openSurroundings();
    pod = await startPod();
    await broker.channel.assertQueue('team.orders', { durable: true });
  });
  afterEach(async () => {
    await endRoles();
    await Promise.all([broker?.close(), around?.close(), pod?.close()]);
  });

  const put = (changes: Parameters<typeof consumerOf>[0]): void => {
    const consumer = consumerOf(changes);
    const configMap = configMapOf(consumer);
    const listed: Record<string, unknown> = {
      configmaps: [configMap],
      namespaces: [namespaceOf(NAMESPACE)],
      triggers: [triggerOf(consumer)],
      functions: [fn(NAMESPACE, 'hello')],
      endpointslices: [slice(NAMESPACE, 'hello', [{ port: pod.port }])],
      [configMap.metadata.name]: configMap,
    };
    Object.assign(around.objects, listed);
  };
  const start = (url: string, env: Readonly<Record<string, string>> = {}): Promise<Role> => {
    const { KUBECONFIG = '' } = around.env;
    return startRole(['dispatcher'], { KUBECONFIG, RABBITMQ_URL: url, ...env });
  };
  const publish = async (count: number): Promise<void> => {
    const publisher = await broker.model.createConfirmChannel();
    for (let from = 0; from < count; from += 1000) {
      for (let i = from; i < Math.min(count, from + 1000); i += 1)
        publisher.sendToQueue('team.orders', Buffer.from(JSON.stringify({ i })), { persistent: true });
      await publisher.waitForConfirms();
    }
    await publisher.close();
  };
  const metric = async (role: Role, name: string): Promise<number> => {
    const { text: metrics } = await role.get('/metrics', role.metricsPort);
    return Number(new RegExp(`^sless_events_${name}\\{.*\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
  };

  test(
    `${MESSAGES} messages at prefetch 100, killed ${KILLS} times, cut off ${CUTS} times: each has its effect`,
    async () => {
      put({ prefetch: 100, maxAttempts: 5 });
      const effects = new Map<string, number>();
      let redelivered = 0;
      let failed = 0;
      pod.handle = async (call) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        if (call.message.redelivered === true) redelivered += 1;
        pod.calls.length = 0; // memory is for the effects
        // One in fifty fails at first, so that retries are under way at every kill.
        if (Number(JSON.parse(text(call)).i) % 50 === 0 && call.message.attempt === 1) {
          failed += 1;
          return 500;
        }
        effects.set(text(call), (effects.get(text(call)) ?? 0) + 1);
        return 200;
      };
      await publish(MESSAGES);
      const relay = await startRelay(BROKER);
      const started = performance.now();
      let role = await start(broker.url(relay));
      // Kills and cuts in turns, each when so many more have had their effect, while messages are under way.
      const events = KILLS + CUTS;
      for (let event = 0; event < events; event += 1) {
        const goal = Math.floor((MESSAGES * (event + 1)) / (events + 1));
        await until(() => expect(effects.size).toBeGreaterThanOrEqual(goal), 300_000);
        if (event % 3 === 1) {
          role.kill('SIGKILL');
          await role.ended;
          role = await start(broker.url(relay));
        } else relay.cut();
      }
      await until(() => expect(effects.size).toBe(MESSAGES), 300_000);
      const total = [...effects.values()].reduce((sum, count) => sum + count, 0);
      const seconds = (performance.now() - started) / 1000;
      console.log(
        `soak messages=${MESSAGES} effects=${total} repeated=${total - MESSAGES} redelivered=${redelivered} failed_once=${failed} seconds=${seconds.toFixed(1)}`,
      );
      await until(async () => expect(await metric(role, 'in_flight')).toBe(0));
      role.kill('SIGTERM');
      expect(await role.ended).toBe(0);
      for (const queue of ['team.orders', 'sless.retry.team.orders', 'sless.dead.team.orders'])
        expect([queue, await broker.drain(queue)]).toEqual([queue, []]);
      // At most what was in hand comes twice: a prefetch of the queue and one of those tried again.
      expect(total - MESSAGES).toBeLessThanOrEqual(events * 200);
      await relay.close();
    },
    isLong ? 900_000 : 240_000,
  );

  test('a function that always fails: everything ends as dead letters, and between the tries nothing spins', async () => {
    const count = isLong ? 20_000 : 1000;
    put({ prefetch: 100, maxAttempts: 3 });
    const attempts = new Map<string, number>();
    pod.handle = (call) => {
      pod.calls.length = 0;
      attempts.set(text(call), (attempts.get(text(call)) ?? 0) + 1);
      return 500;
    };
    // Whatever grew with the messages would not fit: V8 takes more than it needs as long as it may.
    const role = await start(broker.url(), { NODE_OPTIONS: '--max-old-space-size=48' });
    await publish(count);
    await until(
      async () => expect(await metric(role, 'retried_total')).toBeGreaterThanOrEqual(count),
      300_000,
    );
    if (!isLong) {
      // All wait in delay queues, or nearly so: what the process uses now is what waiting costs.
      const before = cpuMs(role.pid);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(cpuMs(role.pid) - before).toBeLessThan(400);
    }
    await until(async () => expect(await metric(role, 'dead_lettered_total')).toBe(count), 300_000);
    expect([...attempts.values()].every((made) => made === 3)).toBe(true);
    const idle = cpuMs(role.pid);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(cpuMs(role.pid) - idle).toBeLessThan(300);
    const letters = await broker.drain('sless.dead.team.orders');
    expect(new Set(letters.map(({ body }) => body)).size).toBe(count);
    expect(rssMb(role.pid)).toBeLessThan(250);
  }, 900_000);

  test('SIGTERM lets calls under way end, and leaves the rest in the queue', async () => {
    put({ prefetch: 5 });
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    pod.handle = async () => {
      await held;
      return 200;
    };
    const role = await start(broker.url());
    await publish(20);
    await until(() => expect(pod.calls.length).toBe(5));
    role.kill('SIGTERM');
    await until(async () => expect((await role.get('/readyz')).status).toBe(503));
    release();
    expect(await role.ended).toBe(0);
    expect(pod.calls.length).toBe(5);
    expect((await broker.drain('team.orders')).length).toBe(15);
  });
});

/** Processor time of a process so far: user and system, in ticks of 10 ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
