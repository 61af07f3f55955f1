import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Answer,
  cleanUp,
  hasPython,
  newFolder,
  objects,
  type Sless,
  startSless,
  uploadForm,
} from './sless.ts';

let sless: Sless;
let base: string;
let folder: string;
beforeAll(async () => {
  folder = await newFolder();
  sless = await startSless(folder);
  base = `/v1/namespaces/${sless.namespace}`;
  await sless.api('POST', `${base}/ensure`);
});
afterAll(cleanUp);

const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 10 });
const show = async (name: string) => (await sless.api('GET', `${base}/functions/${name}`)).json;
const inPhase = (name: string, phase: string) =>
  until(async () => {
    const shown = await show(name);
    expect(shown).toMatchObject({ phase });
    return shown;
  });
const upload = async (name: string, files: Readonly<Record<string, string>>): Promise<Answer> => {
  const answer = await sless.api('POST', `${base}/functions/${name}/upload`, uploadForm(files));
  expect(answer).toMatchObject({ status: 200 });
  return answer;
};
const create = async (name: string, runtime: string) => {
  expect(await sless.api('POST', `${base}/functions`, { name, runtime })).toMatchObject({ status: 201 });
};
const addTrigger = async (name: string) => {
  const trigger = { name, type: 'http', function: name };
  expect(await sless.api('POST', `${base}/triggers`, trigger)).toMatchObject({ status: 201 });
};
const url = (name: string, namespace = sless.namespace) => `${sless.endpoint}/fn/${namespace}/${name}`;
const call = async (name: string, body?: object) => {
  const headers = { 'content-type': 'application/json' };
  const post = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url(name), post);
  return { status: response.status, text: await response.text() };
};
const readyCondition = (shown: { conditions: { type: string }[] }) =>
  shown.conditions.find(({ type }) => type === 'Ready');

interface Language {
  readonly runtime: string;
  readonly says: (text: string) => Record<string, string>;
  /** Code whose dependencies cannot be had, without asking the network. */
  readonly broken: Record<string, string>;
  readonly crashing: Record<string, string>;
}

const node: Language = {
  runtime: 'nodejs20',
  says: (text) => ({
    'handler.mjs': `export const handle = (event) => ({ says: ${JSON.stringify(text)}, event });`,
  }),
  broken: {
    'handler.mjs': 'export const handle = () => 3;',
    'package.json': JSON.stringify({ dependencies: { nope: 'file:./nope.tgz' } }),
  },
  crashing: { 'handler.mjs': 'throw new Error("broken on purpose");' },
};
const python: Language = {
  runtime: 'python3.11',
  says: (text) => ({
    'handler.py': `def handle(event):\n    return {"says": ${JSON.stringify(text)}, "event": event}\n`,
  }),
  broken: { 'handler.py': 'def handle(event):\n    return 3\n', 'requirements.txt': './nope.whl\n' },
  crashing: { 'handler.py': 'raise RuntimeError("broken on purpose")\n' },
};

test('both samples were deployed and answered', async () => {
  await sless.printed(/^sample hello-node http:\S+\/fn\/sless-[0-9a-f]{16}\/hello-node 200 \d+$/m);
  if (hasPython()) await sless.printed(/^sample hello-python \S+\/hello-python 200 \d+$/m);
});

describe.each(hasPython() ? [node, python] : [node])(
  'a function in $runtime',
  ({ runtime, says, broken, crashing }) => {
    const name = `fn-${runtime.replace(/\W/g, '')}`;

    test('becomes a URL: ensure, create, upload, poll, trigger, call', async () => {
      expect(await sless.api('POST', `${base}/ensure`)).toMatchObject({
        status: 200,
        json: { status: 'exists' },
      });
      await create(name, runtime);
      expect(await show(name)).toMatchObject({ phase: 'Pending' });
      await upload(name, says('v1'));
      await inPhase(name, 'Ready');
      expect((await call(name)).status).toBe(404);
      await addTrigger(name);
      await until(async () =>
        expect(await call(name, { a: 1 })).toEqual({
          status: 200,
          text: JSON.stringify({ says: 'v1', event: { a: 1 } }),
        }),
      );
      expect((await show(name)).url).toBe(url(name));
    });

    test('v1, v2, a broken v3, a crashing v4, v2 again: callers see no error, and status is honest at each step', async () => {
      const seen: string[] = [];
      const client = pollAt50Hz(async () => {
        const { status, text } = await call(name);
        seen.push(status === 200 ? JSON.parse(text).says : `${status} ${text}`);
      });
      await upload(name, says('v2'));
      await until(async () => expect(seen.at(-1)).toBe('v2'));
      const v2 = await inPhase(name, 'Ready');

      await upload(name, broken);
      const failed = await inPhase(name, 'Failed');
      expect(failed).toMatchObject({
        image: v2.image,
        ready_replicas: 1,
        message: expect.stringContaining('nope'),
      });
      expect(readyCondition(failed)).toMatchObject({ status: 'False', reason: 'BuildFailed' });

      await upload(name, crashing);
      await until(async () => {
        const shown = await show(name);
        expect(readyCondition(shown)).toMatchObject({ status: 'False', reason: 'CrashLoop' });
        expect(shown.message).toContain('broken on purpose');
        expect(shown.ready_replicas).toBe(1);
      });

      expect((await upload(name, says('v2'))).json.message).toBe('already built');
      const back = await inPhase(name, 'Ready');
      expect(back.image).toBe(v2.image);
      // Long enough that every pod that had to go is gone.
      await until(async () => expect(seen.length).toBeGreaterThan(60));
      expect(await client.stop()).toEqual([]);
      expect([...new Set(seen)]).toEqual(['v1', 'v2']);
      expect(seen.at(-1)).toBe('v2');
    });
  },
);

test('code without dependencies is Ready in less than a second after its upload', async () => {
  await create('quick', 'nodejs20');
  const took: number[] = [];
  for (const version of ['a', 'b', 'c', 'd']) {
    const started = performance.now();
    const { json } = await upload('quick', node.says(version));
    await until(async () =>
      expect(await show('quick')).toMatchObject({ phase: 'Ready', s3_key: json.s3_key }),
    );
    took.push(Math.round(performance.now() - started));
  }
  console.log(`upload to Ready: ${took.join(', ')} ms`);
  // The machine may be busy with other tests: the best of four says what it takes.
  expect(Math.min(...took)).toBeLessThan(1000);
});

test('without an enabled http Trigger a function looks like one that does not exist', async () => {
  await create('hidden', 'nodejs20');
  await upload('hidden', node.says('x'));
  await inPhase('hidden', 'Ready');
  const answerOf = async (address: string) => {
    const response = await fetch(address);
    const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(response.headers);
    return {
      status: response.status,
      headers,
      body: (await response.text()).replaceAll('hidden', 'missing'),
    };
  };
  const missing = await answerOf(url('missing'));
  expect(missing.status).toBe(404);
  expect(await answerOf(url('hidden'))).toEqual(missing);
  await addTrigger('hidden');
  await until(async () => expect((await call('hidden')).status).toBe(200));
  await sless.api('PATCH', `${base}/triggers/hidden`, { enabled: false });
  await until(async () => expect(await answerOf(url('hidden'))).toEqual(missing));
});

test("another tenant's namespace is 403, no token is 401", async () => {
  const { json } = await sless.api('GET', '/.well-known/jwks.json');
  expect(json.keys).toMatchObject([{ kty: 'OKP' }]);
  expect(json.keys[0]).not.toHaveProperty('d');
  expect(await sless.api('GET', '/v1/namespaces/sless-0000000000000000/functions')).toMatchObject({
    status: 403,
  });
  expect(await sless.api('GET', `${base}/functions`, undefined, '')).toMatchObject({ status: 401 });
});

test('the images of versions to roll back to stay, and go with their function', async () => {
  await create('gone', 'nodejs20');
  const versions = async () => (await sless.api('GET', `${base}/functions/gone/versions`)).json.items;
  for (const text of ['one', 'two']) {
    await upload('gone', node.says(text));
    await until(async () => {
      const { phase, s3_key } = await show('gone');
      expect(phase).toBe('Ready');
      expect((await versions())[0]).toMatchObject({ s3_key, served: true, current: true });
    });
  }
  const digests = (await versions()).map(({ image }: { image: string }) => image.split('@sha256:')[1]);
  expect(digests).toHaveLength(2);
  expect(await readdir(`${folder}/images`)).toEqual(expect.arrayContaining(digests));
  await sless.api('DELETE', `${base}/functions/gone`);
  await until(async () => {
    const left = await readdir(`${folder}/images`);
    expect(digests.filter((digest: string) => left.includes(digest))).toEqual([]);
  });
});

test('what a failed call answers names the log, and its stack is in there', async () => {
  await create('fails', 'nodejs20');
  await upload('fails', { 'handler.mjs': 'export const handle = () => { throw new Error("on purpose"); };' });
  await addTrigger('fails');
  await inPhase('fails', 'Ready');
  const { error } = JSON.parse(
    await until(async () => {
      const { status, text } = await call('fails');
      expect(status).toBe(500);
      return text;
    }),
  );
  const [, path = ''] = /its log \((\S+)\) says why/.exec(error) ?? [];
  expect(path).toContain(`logs/${sless.namespace}/fails-`);
  expect(await readFile(path, 'utf8')).toContain('Error: on purpose');
});

test('a function that is deleted is gone at once, with its processes', async () => {
  await create('brief', 'nodejs20');
  await upload('brief', { 'handler.mjs': 'export const handle = () => process.pid;' });
  await addTrigger('brief');
  await inPhase('brief', 'Ready');
  const pid = Number(
    (
      await until(async () => {
        const answer = await call('brief');
        expect(answer.status).toBe(200);
        return answer;
      })
    ).text,
  );
  expect((await sless.api('DELETE', `${base}/functions/brief`)).status).toBeLessThan(300);
  expect((await call('brief')).status).toBe(404);
  await until(async () => expect(() => process.kill(pid, 0)).toThrow());
});

test('nothing is written and no hook is asked while nothing happens', async () => {
  const kinds = ['fn', 'trigger', 'pod', 'deployment', 'endpointslice', 'job', 'service', 'ns'];
  const versions = async () => {
    const lists = await Promise.all(kinds.map((kind) => objects(sless, folder, kind)));
    return lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
  };
  let before = await versions();
  await until(async () => {
    const now = await versions();
    const same = JSON.stringify(now) === JSON.stringify(before);
    before = now;
    expect(same).toBe(true);
  });
  // Probes run every second; nothing that they see may be written.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(await versions()).toEqual(before);
});

/** Calls every 20 ms, whether the last call has ended or not. */
function pollAt50Hz(work: () => Promise<void>): { stop(): Promise<unknown[]> } {
  const pending: Promise<void>[] = [];
  const failures: unknown[] = [];
  const timer = setInterval(
    () => pending.push(work().catch((error: unknown) => void failures.push(error))),
    20,
  );
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(pending);
      return failures;
    },
  };
}
