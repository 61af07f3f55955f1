import { randomBytes } from 'node:crypto';
import { startApi, tenantOf } from './api-server.ts';
import { zipOf } from './zips.ts';

// An api in a process of its own, whose memory is nobody else's: three tenants, each with code that comes to much JSON.

const send = (message: unknown): void => void process.send?.(message);

const text = '\u0001'.repeat(512 * 1024);
const parts = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`p${index}`, text]));
const api = await startApi();
const callers: { readonly url: string; readonly token: string }[] = [];
for (const sub of ['alice', 'bob', 'carol']) {
  const tenant = await tenantOf(api, sub);
  await tenant.ask('POST', '/functions', { name: 'f', runtime: 'python3.11' });
  const salt = randomBytes(8).toString('hex');
  const { status } = await tenant.upload(
    'f',
    zipOf({ 'handler.py': `def handle(): pass # ${salt}`, ...parts }),
  );
  if (status !== 200) throw new Error(`the upload was answered ${status}`);
  callers.push({
    url: `${api.url}/v1/namespaces/${tenant.namespace}/functions/f/source`,
    token: tenant.token,
  });
}
const before = process.memoryUsage.rss();
let peak = before;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 5).unref();
process.on('message', () => send({ addedMB: (peak - before) / 1e6 }));
process.on('disconnect', () => process.exit());
send({ callers });
