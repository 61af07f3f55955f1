import type { ApiFunction, ApiTrigger } from './api-types.ts';
import type { Client } from './client.ts';
import { CliFailure, EXIT } from './failure.ts';
import { zipFolder } from './folder-zip.ts';
import { followLogs } from './logs.ts';
import type { Project } from './project.ts';
import { uploadZip } from './upload.ts';
import { untilReady } from './waiting.ts';
import { note, type World } from './world.ts';

export interface Deployment {
  readonly folder: string;
  readonly project: Project;
  readonly timeoutMs: number;
}

/** From a folder to a function that serves it. @returns the function, and its URL where it has one */
export async function deploy(
  client: Client,
  world: World,
  { folder, project, timeoutMs }: Deployment,
): Promise<{ readonly shown: ApiFunction; readonly url: string | null }> {
  const { bytes, files } = await zipFolder(folder);
  await client.ask('POST', '/ensure');
  await declare(client, project);
  note(world, `${files.length} ${files.length === 1 ? 'file' : 'files'}, ${size(bytes.length)}`);
  const { s3_key: key, message } = await uploadZip(client, world, { name: project.name, bytes });
  note(world, message);
  // Before the wait: the URL answers the moment that the function is ready.
  if (project.http) await requireHttpTrigger(client, project.name);
  const shown = await follow(client, world, { name: project.name, key, timeoutMs });
  // The trigger's hook may have had its turn after the function was ready.
  const { url } = await client.ask<ApiFunction>('GET', `/functions/${project.name}`);
  return { shown, url };
}

const size = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;

/** Creates the function, or sets what the project says; what it does not say stays as it is. */
async function declare(client: Client, { http: _, name, ...fields }: Project): Promise<void> {
  try {
    await client.ask('PATCH', `/functions/${name}`, { json: fields });
  } catch (error) {
    if (!(error instanceof CliFailure) || error.exitCode !== EXIT.notFound) throw error;
    await client.ask('POST', '/functions', { json: { name, ...fields } });
  }
}

async function requireHttpTrigger(client: Client, name: string): Promise<void> {
  const triggers = await client.all<ApiTrigger>('/triggers');
  if (triggers.some((trigger) => trigger.type === 'http' && trigger.function === name)) return;
  await client.ask('POST', '/triggers', { json: { name: `${name}-http`, type: 'http', function: name } });
}

interface Followed {
  readonly name: string;
  readonly key: string;
  readonly timeoutMs: number;
}

/** Shows the phases as they come, and the build's own words while it builds. */
async function follow(
  client: Client,
  world: World,
  { name, key, timeoutMs }: Followed,
): Promise<ApiFunction> {
  const ended = new AbortController();
  let log: Promise<unknown> | undefined;
  const onChange = ({ phase, message }: ApiFunction): void => {
    note(world, message ? `${phase}: ${message.split('\n', 1)[0]}` : phase);
    if (phase !== 'Building' || log !== undefined) return;
    // The log is for whoever looks on; that it cannot be had is no failure of the deployment.
    const lines = { ...world, stdout: world.stderr };
    log = followLogs(client, lines, { path: `/functions/${name}/build/logs`, signal: ended.signal }).catch(
      () => undefined,
    );
  };
  try {
    return await untilReady(client, world, { name, key, withinMs: timeoutMs, onChange });
  } finally {
    await Promise.race([log, world.sleep(log === undefined ? 0 : 1000)]);
    ended.abort();
  }
}
