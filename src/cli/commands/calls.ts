import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { ApiFunction, ApiInvocation } from '../api-types.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { followLogs, readLogs } from '../logs.ts';
import { show } from '../output.ts';
import {
  aimed,
  clientFor,
  type Runner,
  type ShowOptions,
  segment,
  showing,
  type TargetOptions,
} from '../session.ts';
import { INVOCATIONS } from '../tables.ts';
import { note, type World } from '../world.ts';

interface InvokeOptions extends TargetOptions {
  readonly data?: string;
  readonly request?: string;
  readonly path: string;
  readonly header: readonly string[];
  readonly include?: true;
}

interface LogsOptions extends TargetOptions {
  readonly follow?: true;
  readonly build?: true;
  readonly previous?: true;
  readonly timestamps?: true;
  readonly tail?: string;
  readonly since?: string;
}

/** Calling a function, and what became of its calls. */
export function registerCalls(program: Command, { world, run }: Runner): void {
  const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];
  aimed(program.command('invoke <function>'))
    .description('calls a function by its URL and writes what it answers')
    .option('-d, --data <data>', 'the body: text, @file, or @- for standard input; JSON is sent as such')
    .option('-X, --request <method>', 'by default POST with a body, else GET')
    .option('-p, --path <path>', 'path and query behind the URL', '')
    .option('-H, --header <header>', 'a header, such as "x-key: value"; may be repeated', collect, [])
    .option('-i, --include', 'shows status and headers too')
    .action(run((name: string, options: InvokeOptions) => invoke(world, name, options)));
  aimed(program.command('logs <function>'))
    .description('shows what a function has written')
    .option('-f, --follow', 'goes on with what it writes from now on')
    .option('--build', 'of its last build')
    .option('--previous', 'of the run before the last restart: why it ended')
    .option('-t, --timestamps', 'with the time of each line')
    .option('--tail <lines>', 'the last so many lines')
    .option('--since <time>', 'no older than this: 10m, 1h30m, or a time')
    .action(run((name: string, options: LogsOptions) => logs(world, name, options)));
  showing(program.command('invocations <function>'))
    .description('shows the calls of a function, newest first')
    .option('--outcome <outcome>', 'only ok, error or failed ones')
    .option('--limit <number>', 'so many', '20')
    .action(
      run(async (name: string, options: ShowOptions & { outcome?: string; limit: string }) => {
        const { outcome, limit } = options;
        const path = `/functions/${segment(name)}/invocations`;
        const page = await clientFor(world, options).ask<{ items: ApiInvocation[] }>('GET', path, {
          query: { outcome, limit },
        });
        show(world, page.items, { format: options.output, table: INVOCATIONS });
      }),
    );
}

async function logs(world: World, name: string, { follow, build, ...options }: LogsOptions): Promise<void> {
  const client = clientFor(world, options);
  const path = `/functions/${segment(name)}/${build ? 'build/logs' : 'logs'}`;
  if (!follow) return readLogs(client, world, { ...options, path });
  const end = await followLogs(client, world, { ...options, path });
  if (end.outcome === 'failed') throw new CliFailure(`${end.reason ?? 'failed'}: ${end.message ?? ''}`);
}

async function invoke(world: World, name: string, options: InvokeOptions): Promise<void> {
  const client = clientFor(world, options);
  const { url } = await client.ask<ApiFunction>('GET', `/functions/${segment(name)}`);
  if (url === null)
    throw new CliFailure(
      `${name} has no URL: \`sless start ${name}\` if it was stopped, else \`sless trigger create http ${name}\``,
      EXIT.failed,
    );
  const body = await bodyOf(world, options.data);
  const path = options.path === '' || /^[/?]/.test(options.path) ? options.path : `/${options.path}`;
  const response = await call(world, `${url}${path}`, {
    method: options.request ?? (body === undefined ? 'GET' : 'POST'),
    headers: headersOf(options.header, body),
    ...(body === undefined ? {} : { body }),
  });
  if (options.include) {
    note(world, `HTTP ${response.status}`);
    for (const [field, value] of response.headers) note(world, `${field}: ${value}`);
    note(world, '');
  }
  for await (const piece of response.body ?? []) world.stdout.write(piece);
  if (world.stdout.isTTY) world.stdout.write('\n');
  if (response.status >= 400)
    throw new CliFailure(
      `HTTP ${response.status}; \`sless logs ${name}\` may say why (request ${response.headers.get('x-request-id')})`,
    );
}

async function call(world: World, url: string, init: RequestInit): Promise<Response> {
  try {
    return await world.fetch(url, { ...init, redirect: 'manual' });
  } catch (error) {
    throw new CliFailure(`${url} cannot be reached: ${(error as Error).message}`, EXIT.unavailable, {
      cause: error,
    });
  }
}

async function bodyOf(world: World, data: string | undefined): Promise<Buffer<ArrayBuffer> | undefined> {
  if (data === undefined) return undefined;
  if (data === '@-') return Buffer.from(await buffer(world.stdin));
  if (!data.startsWith('@')) return Buffer.from(data);
  try {
    return Buffer.from(readFileSync(data.slice(1)));
  } catch (error) {
    throw new CliFailure(`${data.slice(1)} cannot be read: ${(error as Error).message}`, EXIT.usage, {
      cause: error,
    });
  }
}

function headersOf(given: readonly string[], body: Buffer | undefined): Headers {
  const headers = new Headers(
    body !== undefined && isJson(body) ? { 'content-type': 'application/json' } : {},
  );
  for (const line of given) {
    const colon = line.indexOf(':');
    if (colon < 1)
      throw new CliFailure(`${JSON.stringify(line)} is no header; one is like "x-key: value"`, EXIT.usage);
    headers.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return headers;
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}
