import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { isSlessError } from '../errors.ts';
import { craneProgram } from '../registry/crane.ts';
import { type PushOptions, pushImage, type RegistryDeps } from '../registry/push-image.ts';
import { exitCodeOf } from '../registry/refusal.ts';

const note = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * The last step of a build. The exit code tells the Job whether another try makes sense, and the last line of standard error,
 * `sless push: <error code>: <message>`, tells the reporter why it failed. What went well is told by the image's digest.
 */
export async function runPush(config: Config): Promise<void> {
  // Required of this role, so `loadConfig` has refused to go on without them.
  const { pushImage: image = '', pushFile: file = '', pushBase: base } = config;
  const options: PushOptions = {
    image,
    file,
    insecure: config.registryInsecure,
    ...(base === undefined ? {} : { base }),
  };
  try {
    await tell(await pushImage(registryDeps(config.registryCa, note), options));
  } catch (error) {
    if (!isSlessError(error)) throw error;
    note(`sless push: ${error.code}: ${error.message}`);
    process.exitCode = exitCodeOf(error);
  }
}

function registryDeps(registryCa: string | undefined, hear: (line: string) => void): RegistryDeps {
  // Go takes the certificates of all of these folders beside those of the system.
  const certificates =
    registryCa === undefined ? {} : { SSL_CERT_DIR: `/etc/ssl/certs:${dirname(registryCa)}` };
  const crane = craneProgram({ program: 'crane', env: { ...process.env, ...certificates }, note: hear });
  return { crane, sleep, random: Math.random, note: (line) => hear(`sless push: ${line}`) };
}

/** What a container writes there, Kubernetes shows in the pod's status: nobody has to read a log. */
const TERMINATION_LOG = '/dev/termination-log';

async function tell(image: string): Promise<void> {
  process.stdout.write(`${image}\n`);
  // Outside of a pod there is no such file.
  await writeFile(TERMINATION_LOG, `${image}\n`, { flag: 'r+' }).catch(() => undefined);
}
