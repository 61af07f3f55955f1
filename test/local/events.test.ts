import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Call, type Pod, startPod, text } from '../dispatcher/pod.ts';
import { type Broker, openBroker, withoutBroker } from '../rabbitmq/broker.ts';
import { cleanUp, hasPython, newFolder, type Sless, startSless, uploadForm } from './sless.ts';

/** Tells the test of every call, and answers what the test says. */
const NODE = {
  'handler.js': `exports.handle = async (event, context) => {
  const told = { event: Buffer.isBuffer(event) ? { bytes: event.toString('hex') } : event, message: context.message,
    trigger: context.trigger, triggerName: context.triggerName };
  const { status } = await fetch(process.env.TELL, { method: 'POST', body: JSON.stringify(told) });
  return { statusCode: status, body: 'told' };
};`,
};
const PYTHON = {
  'handler.py': `import json, os, urllib.request, urllib.error
def handle(event, context):
    told = {"event": {"bytes": event.hex()} if isinstance(event, bytes) else event, "message": context.message,
            "trigger": context.trigger, "triggerName": context.trigger_name}
    try:
        status = urllib.request.urlopen(os.environ["TELL"], json.dumps(told).encode()).status
    except urllib.error.HTTPError as error:
        status = error.code
    return {"statusCode": status, "body": "told"}
`,
};

vi.setConfig({ testTimeout: 90_000 });

let listener: Pod;
let sless: Sless;
let base: string;
let folder: string;
beforeEach(async () => {
  listener = await startPod();
  folder = await newFolder();
});
afterEach(() => listener.close());
afterAll(cleanUp);

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 20 });
const told = (call: Call | undefined) => (call === undefined ? undefined : JSON.parse(text(call)));
const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  sless = await startSless(folder, env);
  base = `/v1/namespaces/${sless.namespace}`;
  await sless.api('POST', `${base}/ensure`);
};
const deploy = async (runtime: string, files: Readonly<Record<string, string>>): Promise<void> => {
  const env = { TELL: `http://127.0.0.1:${listener.port}/` };
  expect(await sless.api('POST', `${base}/functions`, { name: 'f', runtime, env })).toMatchObject({
    status: 201,
  });
  const trigger = { name: 'on-orders', type: 'event', function: 'f', queue: 'orders', max_attempts: 2 };
  expect(await sless.api('POST', `${base}/triggers`, trigger)).toMatchObject({ status: 201 });
  expect(await sless.api('POST', `${base}/functions/f/upload`, uploadForm(files))).toMatchObject({
    status: 200,
  });
};
const publish = async (queue: string, body: string | Uint8Array, type?: string): Promise<Response> =>
  fetch(`${sless.endpoint}${base}/events/${queue}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sless.token}`,
      ...(type === undefined ? {} : { 'content-type': type }),
    },
    body,
  });
const shown = async () => (await sless.api('GET', `${base}/triggers/on-orders`)).json;

describe('events in local mode', () => {
  test.each([
    ['nodejs20', NODE],
    ['python3.11', PYTHON],
  ])(
    'a message reaches a function in %s: JSON parsed, all else raw, with its properties',
    async (runtime, files) => {
      if (runtime === 'python3.11' && !hasPython()) return;
      await start();
      await deploy(runtime, files);
      const bodies = ['{"a":[1]}', 'just text', new Uint8Array([0xff, 1])];
      for (const [index, body] of bodies.entries()) {
        const answer = await publish('orders', body, 'application/x-own');
        expect([answer.status, await answer.json()]).toEqual([202, { status: 'accepted' }]);
        await until(() => expect(listener.calls.length).toBe(index + 1));
      }
      expect(listener.calls.map((call) => told(call).event)).toEqual([
        { a: [1] },
        'just text',
        { bytes: 'ff01' },
      ]);
      expect(told(listener.calls[0])).toMatchObject({
        trigger: 'event',
        triggerName: 'on-orders',
        message: {
          queue: 'orders',
          attempt: 1,
          contentType: 'application/x-own',
          messageId: expect.any(String),
        },
      });
      await until(async () => expect(await shown()).toMatchObject({ active: true }));
    },
  );

  test('a message outlives a kill, is tried again, and ends as a dead letter that another Trigger can take', async () => {
    await start();
    listener.handle = () => 500;
    await deploy('nodejs20', NODE);
    await publish('orders', '{"n":1}');
    await until(() => expect(listener.calls.length).toBe(1));
    await sless.kill('SIGKILL');
    await start();
    await until(() => expect(listener.calls.length).toBeGreaterThanOrEqual(2));
    const dead = `sless.dead.${sless.namespace}.on-orders`;
    const attemptsOf = () => listener.calls.map((call) => told(call).message.attempt);
    await until(() => expect(attemptsOf()).toContain(2));
    listener.handle = () => 200;
    const trigger = { name: 'letters', type: 'event', function: 'f', queue: dead };
    expect(await sless.api('POST', `${base}/triggers`, trigger)).toMatchObject({ status: 201 });
    await until(() =>
      expect(told(listener.calls.at(-1))).toMatchObject({
        event: { n: 1 },
        triggerName: 'letters',
        message: {
          headers: { 'x-sless-reason': 'FunctionError', 'x-sless-attempts': 2, 'x-sless-queue': 'orders' },
        },
      }),
    );
  });

  test('a stopped function keeps its messages waiting', async () => {
    await start();
    await deploy('nodejs20', NODE);
    await publish('orders', '1');
    await until(() => expect(listener.calls.length).toBe(1));
    await sless.api('PATCH', `${base}/triggers/on-orders`, { enabled: false });
    await until(async () => expect(await shown()).toMatchObject({ active: false }));
    await publish('orders', '2');
    await sless.api('PATCH', `${base}/triggers/on-orders`, { enabled: true });
    await until(() => expect(listener.calls.map((call) => told(call).event)).toEqual([1, 2]));
  });

  test('what is no message is refused', async () => {
    await start();
    expect((await publish('q', new Uint8Array(17 * 1024 * 1024))).status).toBe(413);
    for (const queue of ['q'.repeat(256), 'a%00', '%1b', 'a%0Ab', '%C2%85', '%', 'a%zz', '%ff', '%C3'])
      expect((await publish(queue, 'x')).status, queue).toBe(400);
    for (const kind of ['dead', 'parked', 'retry', 'delay', 'else'])
      expect((await publish(`sless.${kind}.${sless.namespace}.t`, 'x')).status, kind).toBe(400);
    expect((await publish('sless%2Edead.x', 'x')).status).toBe(400);
    for (const queue of ['100%25', 'a%2Fb', '%C3%A4', 'slessdead', 'my.sless.q'])
      expect((await publish(queue, 'x')).status, queue).toBe(202);
    const other = `${sless.endpoint}/v1/namespaces/sless-0000000000000000/events/q`;
    const headers = { authorization: `Bearer ${sless.token}` };
    expect((await fetch(other, { method: 'POST', headers, body: 'x' })).status).toBe(403);
  });
});

describe.skipIf(withoutBroker !== undefined)('events in local mode with a real broker', () => {
  let broker: Broker;
  beforeEach(async () => {
    broker = await openBroker();
  });
  afterEach(() => broker.close());

  test('its queues are consumed, the state of the consumer shows, and publishing is the broker’s', async () => {
    await start({ RABBITMQ_URL: broker.url() });
    await deploy('nodejs20', NODE);
    await until(async () =>
      expect(await shown()).toMatchObject({ active: false, message: 'there is no queue orders' }),
    );
    await broker.channel.assertQueue('orders', { durable: true });
    broker.channel.sendToQueue('orders', Buffer.from('{"a":1}'), { headers: { own: 'x' } });
    await until(() =>
      expect(told(listener.calls[0])).toMatchObject({ event: { a: 1 }, message: { headers: { own: 'x' } } }),
    );
    await until(async () => expect(await shown()).toMatchObject({ active: true }));
    const answer = await publish('orders', 'x');
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      501,
      'NotImplemented',
    ]);
  });
});
