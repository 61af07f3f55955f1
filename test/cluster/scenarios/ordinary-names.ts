import { expect, test } from 'vitest';
import { declareFunction } from './served-function.ts';
import type { Stage } from './stage.ts';

const NAMES = ['port', 'redis', 'node', 'api'];

/** What a shell, a template or Kubernetes itself would make something else of. */
const ENV: Readonly<Record<string, string>> = {
  DOLLARS: '$$ $${HOME} $(PORT) $',
  EMOJI: '🦊 e\u0301 \u202e',
  EMPTY: '',
  HOME_TEXT: '$(HOME)',
  LINES: 'a\nb\r\n\tc\n',
  QUOTES: '"\'`\\ {{ x }} <>&',
  REDIS_PORT: 'mine',
  SPACES: '  two  ',
};
const CODE = {
  'handler.py': 'import os\ndef handle(event):\n    return {name: os.environ.get(name) for name in event}\n',
};

/** Names and values that mean something to somebody else. */
export function ordinaryNames(stage: Stage): void {
  test(`functions named ${NAMES.join(', ')} work, and their variables arrive as they were written`, async () => {
    const tenant = await stage.tenant();
    const made = await Promise.all(
      NAMES.map((name) => declareFunction(stage, { name, tenant, fields: { env: ENV } })),
    );
    const deploy = async (fn: (typeof made)[number]) => fn.ready(await tenant.upload(fn.name, CODE));
    await Promise.all(made.map(deploy));
    // Only pods that start after a Service of that name exists could be confused by it.
    for (const { name } of made) await tenant.call('POST', `/functions/${name}/restart`);
    const read = async ({ name, answers, until }: (typeof made)[number]) => {
      await until('restarted', ({ phase }) => phase === 'Ready');
      await answers(200);
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(Object.keys(ENV));
      return (await tenant.invoke(name, { method: 'POST', headers, body })).json();
    };
    for (const seen of await Promise.all(made.map(read))) expect(seen).toEqual(ENV);
  });
}
