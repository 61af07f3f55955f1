import { isSlessError } from '../errors.ts';
import type { Cluster, ClusterEvent, Subscription } from '../ports/cluster.ts';
import type { Logger } from '../ports/logger.ts';
import { createWorkList } from '../ports/work-list.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { type Copied, copySecret } from './copy.ts';

/** The platform's Secrets in every namespace of a tenant, as long as it runs. */
export interface SecretCopies {
  close(): void;
}

interface SecretCopiesDeps {
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'patch' | 'watch'>;
  readonly logger: Logger;
}

interface SecretCopiesOptions {
  readonly systemNamespace: string;
  /** Secrets of that namespace. One that is not there yet is copied when it comes. */
  readonly secrets: readonly CopiedSecret[];
}

/** What tenants may read a copy of. */
export interface CopiedSecret {
  readonly name: string;
  /** The only type in which it is copied: under a name that was mistaken lie other keys of the platform. */
  readonly type?: string;
}

const AT_ONCE = 8;
/** A new namespace receives the api's right within a second; until then a write is refused. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 60_000;
/** Nobody may watch the Secrets of all tenants, so a copy that somebody spoilt is found by looking again. */
const AGAIN_MS = 30 * 60_000;

/** Copies at once, when a namespace is labelled, and when a source changes. A source that goes leaves its copies: pods need them. */
export function startSecretCopies(
  { cluster, logger }: SecretCopiesDeps,
  { systemNamespace, secrets }: SecretCopiesOptions,
): SecretCopies {
  // Whoever has nothing to copy needs no right to watch namespaces.
  if (secrets.length === 0) return { close: () => undefined };
  const sources = new Map<string, KubeObject>();
  const namespaces = new Set<string>();
  const list = createWorkList({
    work: async (namespace) => {
      for (const source of namespaces.has(namespace) ? sources.values() : [])
        tell(logger, await copySecret(cluster, source, namespace), {
          namespace,
          secret: source.metadata.name,
        });
    },
    onError: (error, namespace) => {
      // It says what is missing and holds no value; a right that has not come yet is no trouble.
      const isEarly = isSlessError(error, 'Forbidden') || isSlessError(error, 'AlreadyExists');
      logger[isEarly ? 'info' : 'warn']({ err: error, namespace }, 'the Secrets of builds are not there yet');
    },
    atOnce: AT_ONCE,
    retryMs: RETRY_MS,
    maxRetryMs: MAX_RETRY_MS,
  });
  const markAll = (): void => {
    for (const namespace of namespaces) list.mark(namespace);
  };
  const add = ({ metadata: { name, deletionTimestamp } }: KubeObject): void => {
    if (deletionTimestamp !== undefined) namespaces.delete(name);
    else if (name !== systemNamespace) {
      namespaces.add(name);
      list.mark(name);
    }
  };
  const watches = [
    watchAll(cluster, {
      add,
      remove: ({ metadata: { name } }) => namespaces.delete(name),
      forget: () => namespaces.clear(),
    }),
    ...secrets.map(({ name, type }) =>
      watchSource(cluster, { namespace: systemNamespace, name }, (source) => {
        if (source !== undefined && type !== undefined && source.type !== type) {
          sources.delete(name);
          logger.error(
            { secret: name, type: source.type },
            `the Secret is not copied: it must be of type ${type}`,
          );
        } else if (source === undefined) {
          if (sources.delete(name)) logger.warn({ secret: name }, 'the Secret is gone; its copies stay');
        } else {
          sources.set(name, source);
          markAll();
        }
      }),
    ),
  ];
  const again = setInterval(markAll, AGAIN_MS).unref();
  return {
    close: () => {
      clearInterval(again);
      list.close();
      for (const watch of watches) watch.close();
    },
  };
}

interface NamespaceListener {
  readonly add: (namespace: KubeObject) => void;
  readonly remove: (namespace: KubeObject) => void;
  readonly forget: () => void;
}

function watchAll(cluster: Pick<Cluster, 'watch'>, listener: NamespaceListener): Subscription {
  const query = { kind: KINDS.Namespace, labels: { [LABELS.tenant]: 'true' } };
  return cluster.watch(query, (event: ClusterEvent) => {
    if (event.type === 'applied') listener.add(event.object);
    if (event.type === 'deleted') listener.remove(event.object);
    if (event.type !== 'synced') return;
    listener.forget();
    event.objects.forEach(listener.add);
  });
}

function watchSource(
  cluster: Pick<Cluster, 'watch'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  changed: (source: KubeObject | undefined) => void,
): Subscription {
  return cluster.watch({ kind: KINDS.Secret, namespace, name }, (event) => {
    if (event.type === 'applied') changed(event.object);
    if (event.type === 'deleted') changed(undefined);
    if (event.type === 'synced') changed(event.objects[0]);
  });
}

function tell(logger: Logger, copied: Copied, of: { namespace: string; secret: string }): void {
  if (copied === 'created' || copied === 'changed') logger.info(of, `a Secret was ${copied}`);
  if (copied === 'foreign') logger.debug(of, 'the namespace has a Secret of that name, which is used');
  if (copied === 'another type') logger.warn(of, 'the copy is of another type than its source: delete it');
}
