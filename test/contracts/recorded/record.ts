/**
 * Writes `api-server.golden.json`: what a real API server answers to the scenarios. Run it against a throw-away one that has our CRDs and
 * no controllers, which would write into the objects, nor admission by service accounts (`--disable-admission-plugins=ServiceAccount`):
 * `API_SERVER=https://127.0.0.1:6443 API_TOKEN=... NODE_TLS_REJECT_UNAUTHORIZED=0 node test/contracts/recorded/record.ts`
 */
import { writeFileSync } from 'node:fs';
import { refusalError } from '../../../src/adapters/kubernetes/refusal.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { normalForm } from './normal-form.ts';
import type { Scenario, Step } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const API_SERVER = process.env.API_SERVER ?? 'https://127.0.0.1:6443';
const HEADERS = { authorization: `Bearer ${process.env.API_TOKEN ?? 'admin'}` };
const NAMESPACE = 'recorded';

interface Answer {
  readonly status: number;
  readonly body: { readonly reason?: string; readonly metadata?: { readonly resourceVersion?: string } };
}

async function call(
  method: string,
  path: string,
  options: { body?: unknown; type?: string } = {},
): Promise<Answer> {
  const response = await fetch(`${API_SERVER}${path}`, {
    method,
    headers: { ...HEADERS, 'content-type': options.type ?? 'application/json' },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

function collectionOf(kindName: string): string {
  const kind = Object.values(KINDS).find((known) => known.kind === kindName);
  if (!kind) throw new Error(`no kind ${kindName}`);
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  return `${root}/namespaces/${NAMESPACE}/${kind.plural}`;
}

async function take(step: Step, scenario: Scenario): Promise<Answer> {
  const collection = collectionOf(scenario.kind);
  const one = `${collection}/${scenario.object}`;
  const merge = { body: step.body, type: 'application/merge-patch+json' };
  switch (step.do) {
    case 'create':
      return call('POST', `${collection}?fieldManager=sless`, { body: step.body });
    case 'apply':
      return call('PATCH', `${one}?fieldManager=${step.manager ?? 'metacontroller'}&force=true`, {
        body: step.body,
        type: 'application/apply-patch+yaml',
      });
    case 'patch':
      return call('PATCH', `${one}?fieldManager=sless`, merge);
    case 'patchStatus':
      return call('PATCH', `${one}/status?fieldManager=sless`, merge);
    case 'delete':
      return call('DELETE', `${one}?propagationPolicy=Background&gracePeriodSeconds=0`);
  }
}

async function play(scenario: Scenario): Promise<unknown[]> {
  await call(
    'DELETE',
    `${collectionOf(scenario.kind)}/${scenario.object}?gracePeriodSeconds=0&propagationPolicy=Background`,
  );
  const records: unknown[] = [];
  let version = '';
  for (const step of scenario.steps) {
    const { status, body } = await take(step, scenario);
    if (status >= 400)
      records.push({ error: refusalError({ status, body: JSON.stringify(body), asked: step.do }).code });
    else if (step.do === 'delete') records.push({ deleted: true });
    else records.push({ quiet: body.metadata?.resourceVersion === version, object: normalForm(body) });
    version = body.metadata?.resourceVersion ?? version;
  }
  await call(
    'DELETE',
    `${collectionOf(scenario.kind)}/${scenario.object}?gracePeriodSeconds=0&propagationPolicy=Background`,
  );
  return records;
}

await call('POST', '/api/v1/namespaces', { body: { metadata: { name: NAMESPACE } } });
const { body: version } = await call('GET', '/version');
const recorded: Record<string, unknown> = { version: (version as { gitVersion?: string }).gitVersion };
for (const scenario of SCENARIOS) recorded[scenario.name] = await play(scenario);
writeFileSync(`${import.meta.dirname}/api-server.golden.json`, `${JSON.stringify(recorded, undefined, 1)}\n`);
