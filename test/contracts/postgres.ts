import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** A database of a test's own. */
export interface TestDatabase {
  readonly url: string;
  close(): Promise<void>;
}

const SERVER = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** Makes a database on the server of `POSTGRES_URL` (or of this machine); `undefined` where there is none. */
export async function createDatabase(): Promise<TestDatabase | undefined> {
  const name = `sless_test_${randomBytes(6).toString('hex')}`;
  if (
    !(await administer(`CREATE DATABASE ${name}`).then(
      () => true,
      () => false,
    ))
  )
    return undefined;
  const url = new URL(SERVER);
  url.pathname = name;
  return { url: url.href, close: () => administer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

async function administer(sql: string): Promise<void> {
  const client = new Client({ connectionString: SERVER, connectionTimeoutMillis: 2000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
