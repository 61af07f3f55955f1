import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { openSqliteInvocationLog } from '../../../src/adapters/invocation-log/sqlite.ts';
import { SlessError } from '../../../src/errors.ts';
import { namespaceOf } from '../../../src/gateway/auth/subject.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import type { PodLogs } from '../../../src/ports/pod-logs.ts';
import { buildLabels, serverLabels } from '../../../src/resources/function/labels.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { LABELS } from '../../../src/resources/kube/labels.ts';
import type { Review, ReviewRequest } from '../../../src/review/gate.ts';
import { type ApiServer, startApi, tokenFor } from '../api-server.ts';
import type { Caller } from './caller.ts';

/** What fails, and how; the rest works, and so do questions about namespaces unless `everywhere`. */
export type Faults = Partial<Pick<Cluster, 'get' | 'list' | 'create' | 'patch' | 'delete'>> & {
  readonly everywhere?: boolean;
};

export interface World {
  readonly api: ApiServer;
  /** One with nothing of what an installation may lack. */
  readonly bare: ApiServer;
  /** One with no room for anybody. */
  readonly full: ApiServer;
  /** One that takes one request a second of anybody. */
  readonly hasty: ApiServer;
  /** Somebody with a namespace of their own, whether it is there or not. */
  caller(sub: string, where?: ApiServer): Promise<Caller>;
  /** Makes the cluster fail so while `work` is done. */
  during<T>(faults: Faults, work: () => Promise<T>): Promise<T>;
  /** The id of a call of that function that is on record. */
  recorded(namespace: string, name: string): Promise<string>;
  close(): Promise<void>;
}

/** Who may into every namespace, where Kubernetes is asked. */
export const GUEST = 'guest';
/** Text in code that the review refuses. */
export const REFUSED_CODE = '# mines coins';

const LINE = { time: '2026-03-01T12:00:00.000000001Z', text: 'ready' };
const logs: PodLogs = {
  tail: async () => LINE.text,
  read: async function* () {
    yield LINE;
  },
};

export async function startWorld(): Promise<World> {
  const calls = openSqliteInvocationLog(':memory:');
  let faults: Faults = {};
  const api = await startApi({
    deps: ({ cluster }) => ({
      cluster: faulty(cluster, () => faults),
      logs,
      invocations: calls,
      publishEvent: async () => {},
      access: { allows: async ({ user }) => user === GUEST },
      ending: AbortSignal.abort(),
      review: { review: refusing },
    }),
    options: { deleteWaitMs: 1 },
  });
  const bare = await startApi();
  const full = await startApi({
    deps: () => ({ logs }),
    options: { uploadsPerTenant: 0, sourceReadersPerTenant: 0, followersPerTenant: 0, uploadWaitMs: 1 },
  });
  const hasty = await startApi({ options: { ratePerToken: 1 } });
  return {
    api,
    bare,
    full,
    hasty,
    caller: async (sub, { url } = api) => ({ url, namespace: namespaceOf(sub), token: await tokenFor(sub) }),
    during: async (wanted, work) => {
      faults = wanted;
      return work().finally(() => {
        faults = {};
      });
    },
    recorded: async (namespace, name) => {
      const id = randomUUID();
      const call = {
        trigger: 'http',
        outcome: 'ok',
        status: 200,
        bytesIn: 1,
        bytesOut: 1,
        attempt: 1,
      } as const;
      await calls.append([{ ...call, id, namespace, function: name, startedAt: Date.now(), durationMs: 1 }]);
      return id;
    },
    close: async () => {
      await Promise.all([api.close(), bare.close(), full.close(), hasty.close()]);
      await calls.close();
    },
  };
}

async function refusing({ files }: ReviewRequest): Promise<Review> {
  for await (const { content } of files)
    if ((await text(content)).includes(REFUSED_CODE))
      throw new SlessError('InvalidCode', 'code validation failed: it mines coins');
  return { verdict: 'safe', model: 'a model' };
}

function faulty(cluster: Cluster, faults: () => Faults): Cluster {
  /** The fault in place of the method, if there is one for what is asked. */
  const orFault = <M extends 'get' | 'list' | 'create' | 'patch' | 'delete'>(
    method: M,
    kind: string,
  ): Cluster[M] => {
    const { everywhere = false, [method]: fault } = faults();
    const stands = fault === undefined || (kind === 'Namespace' && !everywhere);
    return stands ? cluster[method] : (fault as Cluster[M]); // the fault of this very method
  };
  return {
    get: (ref) => orFault('get', ref.kind.kind)(ref),
    list: (query, page) => orFault('list', query.kind.kind)(query, page),
    create: (object) => orFault('create', object.kind)(object),
    patch: (ref, ...of) => orFault('patch', ref.kind.kind)(ref, ...of),
    delete: (ref, of) => orFault('delete', ref.kind.kind)(ref, of),
    watch: (...of) => cluster.watch(...of),
  };
}

/** A pod that has written something, of the function itself or of its build. */
export async function makePod(
  { cluster }: ApiServer,
  of: { readonly namespace: string; readonly name: string; readonly job?: string },
): Promise<void> {
  const { namespace, name, job } = of;
  const ref = { kind: KINDS.Pod, namespace, name: `${name}-${job === undefined ? 'server' : 'build'}` };
  const labels =
    job === undefined
      ? serverLabels(name)
      : { ...buildLabels(namespace, name), [LABELS.component]: 'build', [LABELS.function]: name };
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: job ?? '', uid: randomUUID(), controller: true };
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: ref.name,
      namespace,
      labels,
      ...(job === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: { containers: [{ name: 'function', image: 'x' }] },
  });
  const containerStatuses = [{ name: 'function', restartCount: 0, state: { running: {} } }];
  await cluster.patch(ref, { status: { containerStatuses } }, { subresource: 'status' });
}
