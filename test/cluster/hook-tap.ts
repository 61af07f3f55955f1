import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One call of a hook, as the driver made it. */
export interface HookCall {
  /** Such as `/sync/function`. */
  readonly path: string;
  /** The namespace that the object lies in, or is; empty where it has none. */
  readonly namespace: string;
  readonly body: string;
}

/** Stands between driver and operator: it passes everything on, and counts. */
export interface HookTap {
  readonly url: string;
  /** How many calls there were about this namespace and objects of it, and when the last one came (milliseconds since 1970). */
  callsAbout(namespace: string): { readonly count: number; readonly lastAt: number };
  close(): Promise<void>;
}

/** As the operator itself keeps them: see KEEP_ALIVE_MS there. */
const KEEP_ALIVE_MS = 120_000;

/** Hears of a call that was answered with 200, and how. */
export type OnCall = (call: HookCall, answer: string) => void;

/** Opens a tap before the operator at this URL. */
export async function openHookTap(operatorUrl: string, onCall: OnCall = () => undefined): Promise<HookTap> {
  const about = new Map<string, { count: number; lastAt: number }>();
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const call = await callOf(request);
      const { count = 0 } = about.get(call.namespace) ?? {};
      about.set(call.namespace, { count: count + 1, lastAt: Date.now() });
      const answered = await passOn(operatorUrl, call, response);
      if (response.statusCode === 200) onCall(call, answered);
    };
    // What Metacontroller would have met as a connection that fails is a bad gateway here: an error all the same.
    answer().catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callsAbout: (namespace) => about.get(namespace) ?? { count: 0, lastAt: 0 },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function callOf(request: IncomingMessage): Promise<HookCall> {
  const body = await text(request);
  const { parent, object } = JSON.parse(body);
  const { kind, metadata } = parent ?? object;
  const namespace = kind === 'Namespace' ? metadata.name : (metadata.namespace ?? '');
  return { path: request.url ?? '', namespace, body };
}

async function passOn(url: string, { path, body }: HookCall, response: ServerResponse): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body });
  const answered = await answer.text();
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end(answered);
  return answered;
}
