import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { isSlessError } from '../errors.ts';
import { bringBase } from '../registry/base-image.ts';
import { craneProgram } from '../registry/crane.ts';
import { pushImage, type RegistryDeps } from '../registry/push-image.ts';
import { exitCodeOf } from '../registry/refusal.ts';

/**
 * The last step of a build. What went well is told by the image's digest; what did not, by `ending`.
 */
export async function runPush(config: Config): Promise<void> {
  // Required of this role, so `loadConfig` has refused to go on without them.
  const { pushImage: image = '', pushFile: file = '', pushBase: base } = config;
  const options = { image, file, insecure: config.registryInsecure, ...(base === undefined ? {} : { base }) };
  await ending('push', async (note) => tell(await pushImage(registryDeps(config, note), options)));
}

/** The step before one that has no login, where the registry asks for one. */
export async function runBase(config: Config): Promise<void> {
  const { baseImage: image = '', baseFolder: folder = '', contextFile = '' } = config;
  const options = { image, folder, contextFile, platform: PLATFORM, insecure: config.registryInsecure };
  await ending('base', async (note) => {
    process.stdout.write(`${await bringBase(registryDeps(config, note), options)}\n`);
  });
}

/** As registries call the machines that Node runs on. */
const PLATFORM = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;

type Note = (line: string) => void;

/**
 * The exit code tells the Job whether another try makes sense, and the last line of standard error, `sless <step>: <error code>: <message>`,
 * tells the reporter why it failed.
 */
async function ending(step: string, work: (note: Note) => Promise<void>): Promise<void> {
  const note: Note = (line) => void process.stderr.write(`sless ${step}: ${line}\n`);
  try {
    await work(note);
  } catch (error) {
    if (!isSlessError(error)) throw error;
    note(`${error.code}: ${error.message}`);
    process.exitCode = exitCodeOf(error);
  }
}

function registryDeps({ registryCa }: Config, note: Note): RegistryDeps {
  // Go takes the certificates of all of these folders beside those of the system.
  const certificates =
    registryCa === undefined ? {} : { SSL_CERT_DIR: `/etc/ssl/certs:${dirname(registryCa)}` };
  const crane = craneProgram({
    program: 'crane',
    env: { ...process.env, ...certificates },
    note: (line) => void process.stderr.write(`${line}\n`),
  });
  return { crane, sleep, random: Math.random, note };
}

/** What a container writes there, Kubernetes shows in the pod's status: nobody has to read a log. */
const TERMINATION_LOG = '/dev/termination-log';

async function tell(image: string): Promise<void> {
  process.stdout.write(`${image}\n`);
  // Outside of a pod there is no such file.
  await writeFile(TERMINATION_LOG, `${image}\n`, { flag: 'r+' }).catch(() => undefined);
}
