import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBuild } from '../../src/resources/function/build.ts';
import { findKind } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { CHILDREN } from '../hooks/children.ts';
import { dynamicMerge } from '../hooks/merge.ts';
import { withServerDefaults } from '../hooks/stored.ts';
import { QUANTITIES } from '../objects/quantities.ts';
import { apiServer } from './api-server.ts';
import { ensureNamespace } from './crds.ts';

const server = apiServer();
if (server === undefined) console.warn('SKIPPED: KUBECONFIG is not set, so no API server takes the children');

const NAMESPACE = `sless-test-${randomBytes(5).toString('hex')}`;
const APPLY = 'application/apply-patch+yaml';

async function call(method: string, path: string, body?: unknown, type?: string): Promise<KubeObject> {
  if (server === undefined) throw new Error('no API server');
  const answer = await server.call(method, path, body, type);
  expect(answer.status, answer.body.message).toBeLessThan(300);
  return answer.body as unknown as KubeObject;
}

function collection(child: KubeObject): string {
  const root = child.apiVersion === 'v1' ? '/api/v1' : `/apis/${child.apiVersion}`;
  return `${root}/namespaces/${NAMESPACE}/${findKind(child.apiVersion, child.kind)?.plural}`;
}

/** The child of our hook in the test's namespace. A Job waits, so that no pod is made of it. */
function placed(child: KubeObject): KubeObject {
  const metadata = { ...child.metadata, namespace: NAMESPACE };
  const suspended = child.kind === 'Job' ? { suspend: true } : {};
  return { ...child, metadata, spec: { ...(child.spec as object), ...suspended } };
}

/** Fields that the server assigns by itself, and not as defaults. */
function withoutAssigned(object: KubeObject): unknown {
  const {
    clusterIP: _ip,
    clusterIPs: _ips,
    ipFamilies: _families,
    selector,
    template,
    ...spec
  } = object.spec as Record<string, Record<string, Record<string, Record<string, unknown>>>>;
  if (object.kind !== 'Job') return { ...spec, selector, template };
  const labels = Object.entries(template?.metadata?.labels ?? {}).filter(
    ([name]) => !name.includes('controller-uid') && !name.includes('job-name'),
  );
  return {
    ...spec,
    template: { ...template, metadata: { ...template?.metadata, labels: Object.fromEntries(labels) } },
  };
}

describe.skipIf(server === undefined)('children on a real API server', () => {
  beforeAll(async () => {
    if (server !== undefined) await ensureNamespace(server, NAMESPACE);
  });
  afterAll(async () => {
    await server?.call('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    server?.close();
  });

  test.each(Object.entries(CHILDREN))(
    '%s: stored with the defaults that our tests assume',
    async (name, made) => {
      const child = placed({ ...made, metadata: { ...made.metadata, name: `d-${name}` } });
      const stored = await call('POST', collection(child), child);
      const { metadata, spec } = withServerDefaults(child);
      expect(withoutAssigned(stored)).toEqual({ ...(spec as object) });
      expect(stored.metadata.annotations ?? {}).toEqual(metadata.annotations ?? {});
      if (child.kind === 'Job') expect(readBuild(stored)).toEqual(readBuild(child));
    },
  );

  test.each(Object.entries(CHILDREN))(
    '%s: a second server-side apply changes nothing',
    async (name, made) => {
      const child = placed({ ...made, metadata: { ...made.metadata, name: `a-${name}` } });
      const path = `${collection(child)}/${child.metadata.name}?fieldManager=metacontroller&force=true`;
      const first = await call('PATCH', path, child, APPLY);
      const second = await call('PATCH', path, child, APPLY);
      // Controllers write status meanwhile; who owns what we applied is what an apply of ours would change.
      expect(second.spec).toEqual(first.spec);
      expect(ours(second)).toEqual(ours(first));
    },
  );

  test.each(Object.entries(CHILDREN))('%s: a merge of dynamic-apply changes nothing', async (name, made) => {
    const child = placed({ ...made, metadata: { ...made.metadata, name: `m-${name}` } });
    const stored = await call('POST', collection(child), child);
    expect(dynamicMerge(stored, child, child)).toEqual(stored);
  });
});

describe.skipIf(server === undefined)('quantities on a real API server', () => {
  test.each(QUANTITIES)('%s is stored as %s', async (written, canonical) => {
    const resources = { limits: { memory: written } };
    const pod = { containers: [{ name: 'a', image: 'a', resources }] };
    const body = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'q' }, template: { spec: pod } };
    const stored = await call('POST', `/api/v1/namespaces/default/podtemplates?dryRun=All`, body);
    expect(stored).toMatchObject({
      template: { spec: { containers: [{ resources: { limits: { memory: canonical } } }] } },
    });
  });
});

interface Managed {
  readonly manager: string;
  readonly subresource?: string;
}

const ours = ({ metadata }: KubeObject): unknown =>
  (metadata.managedFields as readonly Managed[]).find(({ manager }) => manager === 'metacontroller');
