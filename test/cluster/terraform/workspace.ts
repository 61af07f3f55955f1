import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { findBinary } from '../../contracts/binary.ts';

const PROVIDER = resolve(import.meta.dirname, '../../../terraform/provider');

/** What drives the provider, and what builds it. */
export interface Tools {
  readonly terraform: string;
  readonly go: string;
}

/** Both; `undefined`, said aloud, where one is missing. */
export function findTools(): Tools | undefined {
  const terraform =
    findBinary('tofu', 'TF_ACC_TERRAFORM_PATH') ??
    findBinary('terraform', 'TF_ACC_TERRAFORM_PATH') ??
    cachedTofu();
  const go = findBinary('go', 'GO');
  if (terraform !== undefined && go !== undefined) return { terraform, go };
  console.warn('SKIPPED: the Terraform provider needs Go, and tofu or terraform (terraform/build-tofu.sh)');
  return undefined;
}

function cachedTofu(): string | undefined {
  const path = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sless-terraform/bin/tofu');
  return spawnSync(path, ['version']).status === 0 ? path : undefined;
}

/** A folder in which somebody types terraform, with the provider of this tree. */
export interface Workspace {
  /** Runs a command; its output, and how it ended. */
  run(...words: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>;
  write(name: string, content: string): void;
  close(): void;
}

/** Builds the provider; `env` says where the api is, and who asks. */
export function openWorkspace({ terraform, go }: Tools, env: Readonly<Record<string, string>>): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'sless-terraform-'));
  const path = (name: string) => join(folder, name);
  execFileSync(go, ['build', '-p', '2', '-o', path('terraform-provider-sless'), '.'], { cwd: PROVIDER });
  const rc = `provider_installation {\n  dev_overrides {\n    "sless/sless" = ${JSON.stringify(folder)}\n  }\n  direct {}\n}\n`;
  writeFileSync(path('rc'), rc);
  return {
    // Not in one go: the issuer and the tap before the hooks are servers of this very process.
    run: async (...words) => {
      const child = spawn(terraform, [...words, '-no-color'], {
        cwd: folder,
        env: { ...process.env, ...env, TF_CLI_CONFIG_FILE: path('rc'), CHECKPOINT_DISABLE: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { code, output: `${out}${err}` };
    },
    write: (name, content) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
