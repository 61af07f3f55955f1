/** Writes until it is killed: `node writer.ts FILE ROUND`. Says each write on its own line once it is acknowledged. */
import { writeSync } from 'node:fs';
import { createEmbeddedCluster } from '../../src/adapters/embedded-cluster/cluster.ts';
import { createSqliteStore } from '../../src/adapters/embedded-cluster/sqlite-store.ts';
import { KINDS } from '../../src/resources/kube/kinds.ts';
import { silentLogger } from '../contracts/silent-logger.ts';

const [file = '', round = ''] = process.argv.slice(2);
const cluster = createEmbeddedCluster({ store: createSqliteStore(file), clock: Date, logger: silentLogger });
const say = (line: string) => writeSync(1, `${line}\n`);

const owner = await cluster.create(object(`owner-${round}`));
for (let count = 0; ; count += 1) {
  const name = `r${round}-${count}`;
  await cluster.create(object(name));
  say(`made ${name}`);
  await cluster.patch(ref(name), { data: { count: String(count), filling: 'x'.repeat(2_000) } });
  say(`patched ${name} ${count}`);
  if (count % 3 !== 0) continue;
  await cluster.delete(ref(name));
  say(`deleted ${name}`);
}

function ref(name: string) {
  return { kind: KINDS.ConfigMap, namespace: 'default', name };
}

function object(name: string) {
  const { kind, apiVersion } = KINDS.ConfigMap;
  const owners = ownersOf(name);
  return { apiVersion, kind, metadata: { name, namespace: 'default', ...owners } };
}

function ownersOf(name: string) {
  if (name.startsWith('owner')) return {};
  const { uid = '' } = owner.metadata;
  return { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid }] };
}
