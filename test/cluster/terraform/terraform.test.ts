import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers } from '../driver.ts';
import { clusterEnvironment } from '../environment.ts';
import { type InstallableEnvironment, type Installation, install, isInstallable } from '../installation.ts';
import { createTenant, type Tenant } from '../tenant.ts';
import { findTools, openWorkspace, type Tools, type Workspace } from './workspace.ts';

const environment = clusterEnvironment();
const tools = isInstallable(environment) ? findTools() : undefined;
if (isInstallable(environment) && tools !== undefined) terraform(environment, tools);
else test.skip('terraform on a cluster', () => undefined);

const CONFIGURATION = `
terraform {
  required_providers {
    sless = { source = "sless/sless" }
  }
}
resource "sless_function" "greet" {
  name       = "greet"
  runtime    = "nodejs20"
  source_dir = "code"
  env        = { WORD = "Hello" }
}
resource "sless_trigger" "http" {
  name     = "greet-http"
  type     = "http"
  function = sless_function.greet.name
}
resource "sless_trigger" "nightly" {
  name     = "greet-nightly"
  type     = "cron"
  function = sless_function.greet.name
  schedule = "0 3 * * *"
}
resource "sless_job" "once" {
  name       = "greet-once"
  function   = sless_function.greet.name
  event_json = jsonencode({ name = "Ada" })
  run_id     = 1
}
output "result" {
  value = sless_job.once.result
}
`;

function terraform(given: InstallableEnvironment, found: Tools): void {
  describe('terraform on a cluster', { timeout: 300_000 }, () => {
    let sless: Installation;
    let alice: Tenant;
    let workspace: Workspace;

    beforeAll(async () => {
      sless = await install(given, drivers(given).at(-1)!);
      alice = await createTenant(sless, given.kubeconfig);
      workspace = openWorkspace(found, { SLESS_ENDPOINT: sless.api.url, SLESS_API_TOKEN: alice.token });
      workspace.write('main.tf', CONFIGURATION);
    }, 600_000);
    afterAll(async () => {
      workspace?.close();
      await alice?.drop();
      await sless?.close();
    });

    const deploy = (word: string) =>
      workspace.write(
        'code/handler.mjs',
        `export const handle = ({ name }) => \`\${process.env.WORD}, ${word} \${name}\`;\n`,
      );

    test('apply, a plan without changes, one changed handler, destroy', async () => {
      deploy('dear');
      expect(await workspace.run('apply', '-auto-approve')).toMatchObject({
        code: 0,
        output: expect.stringContaining('Resources: 4 added, 0 changed, 0 destroyed.'),
      });
      expect((await workspace.run('output', '-raw', 'result')).output).toContain('Hello, dear Ada');
      expect(await workspace.run('plan', '-detailed-exitcode')).toMatchObject({ code: 0 });
      deploy('good');
      expect(await workspace.run('apply', '-auto-approve')).toMatchObject({
        code: 0,
        output: expect.stringContaining('Resources: 0 added, 1 changed, 0 destroyed.'),
      });
      const headers = { 'content-type': 'application/json' };
      const answer = await alice.invoke('greet', { method: 'POST', headers, body: '{"name": "Bo"}' });
      expect(await answer.text()).toContain('Hello, good Bo');
      expect(await workspace.run('plan', '-detailed-exitcode')).toMatchObject({ code: 0 });
      expect(await workspace.run('destroy', '-auto-approve')).toMatchObject({
        code: 0,
        output: expect.stringContaining('Resources: 4 destroyed.'),
      });
    });
  });
}
