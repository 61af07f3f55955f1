import { expect, test } from 'vitest';
import { pod, rawPod, rawRequest, stage, until } from './stage.ts';

test('close lets what runs end, says Connection: close meanwhile, and frees idle connections', async () => {
  const open: (() => void)[] = [];
  const { server, port: target } = await pod((request, response) => {
    if (request.url === '/slow') open.push(() => response.end('slow'));
    else response.end('quick');
  });
  let sockets = 0;
  server.on('connection', (socket) => {
    sockets += 1;
    socket.on('close', () => (sockets -= 1));
  });
  const { url, port, proxy, serve } = await stage();
  serve('ns', 'f', [target]);
  const running = fetch(`${url}/fn/ns/f/slow`);
  await until(() => open.length === 1);
  let closed = false;
  const closing = proxy.close().then(() => (closed = true));
  const meanwhile = await rawRequest(port, '/fn/ns/f');
  expect(meanwhile.status).toBe(200);
  expect(meanwhile.head).toMatch(/Connection: close/i);
  const refused = await fetch(`${url}/fn/ns/absent`);
  expect(refused.status).toBe(404);
  expect(refused.headers.get('connection')).toBe('close');
  expect(closed).toBe(false);
  open[0]!();
  const answer = await running;
  expect(answer.headers.get('connection')).toBe('close');
  expect(await answer.text()).toBe('slow');
  await closing;
  await until(() => sockets === 0);
});

test('what does not end within the drain time is cut', async () => {
  const target = await rawPod((socket) => {
    socket.resume();
    socket.on('end', () => socket.end());
  });
  const { url, proxy, serve } = await stage({ drainMs: 100 });
  serve('ns', 'f', [target.port]);
  const running = fetch(`${url}/fn/ns/f`).then(
    () => 'answered',
    () => 'cut',
  );
  await until(() => target.sockets.size === 1);
  await proxy.close();
  expect(await running).toBe('cut');
  await until(() => target.sockets.size === 0);
});
