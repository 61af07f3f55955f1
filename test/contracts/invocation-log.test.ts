import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgresInvocationLog } from '../../src/adapters/invocation-log/postgres.ts';
import { openSqliteInvocationLog } from '../../src/adapters/invocation-log/sqlite.ts';
import type { Invocation } from '../../src/ports/invocation-log.ts';
import { startRelay } from '../network/relay.ts';
import { invocationLogContract } from './invocation-log.ts';
import { createDatabase } from './postgres.ts';
import { silentLogger as logger } from './silent-logger.ts';

invocationLogContract('sqlite', async () => {
  const log = openSqliteInvocationLog(':memory:');
  return { log, close: () => log.close() };
});

const record = (startedAt: number): Invocation => ({
  id: randomUUID(),
  namespace: 'team',
  function: 'hello',
  trigger: 'http',
  startedAt,
  durationMs: 1,
  outcome: 'ok',
  bytesIn: 0,
  bytesOut: 0,
  attempt: 1,
});
const query = { namespace: 'team', function: 'hello' };

const database = await createDatabase();
if (database === undefined) {
  console.warn('SKIPPED: the invocation log in PostgreSQL (no server; name one in POSTGRES_URL)');
  test.skip('invocation log: postgres (no server; name one in POSTGRES_URL)', () => {});
} else {
  const { url } = database;
  afterAll(() => database.close());
  invocationLogContract('postgres', async () => {
    const log = openPostgresInvocationLog({ url, logger });
    return { log, close: () => log.close() };
  });

  describe('several processes and one database', () => {
    test('eight that start at once over an empty database all write, and each table is made once', async () => {
      const own = await createDatabase();
      if (own === undefined) throw new Error('no second database');
      const logs = Array.from({ length: 8 }, () => openPostgresInvocationLog({ url: own.url, logger }));
      await Promise.all(logs.map((log) => log.append([record(Date.parse('2026-05-01T10:00:00Z'))])));
      expect((await logs[0]?.list(query, { limit: 100 }))?.items).toHaveLength(8);
      const client = new Client({ connectionString: own.url });
      await client.connect();
      const { rows } = await client.query('SELECT name FROM sless_migrations');
      expect(rows).toHaveLength(1);
      await client.end();
      await Promise.all(logs.map((log) => log.close()));
      await own.close();
    });

    test('a database that is away is Unavailable, and is used again when it is back', async () => {
      const { hostname: host, port } = new URL(url);
      const relay = await startRelay({ host, port: Number(port) });
      const through = new URL(url);
      through.host = `${relay.host}:${relay.port}`;
      const log = openPostgresInvocationLog({ url: through.href, logger });
      const [before, during] = [record(Date.now()), record(Date.now())];
      await log.append([before]);
      await relay.down();
      await expect(log.append([during])).rejects.toMatchObject({ code: 'Unavailable' });
      await relay.restore();
      await log.append([during]);
      expect((await log.list(query, { limit: 10 })).items.map(({ id }) => id).sort()).toEqual(
        [before.id, during.id].sort(),
      );
      await log.close();
      await relay.close();
    });
  });
}
