import { join, resolve } from 'node:path';

/** Where everything of local mode lies: `SLESS_DIR`. What is not named for users here is nobody's business. */
export interface LocalFolder {
  readonly root: string;
  /** For users: the bare JWT, their namespace, the pid of the running sless, and all of it as variables. */
  readonly token: string;
  readonly namespace: string;
  readonly pid: string;
  readonly env: string;
  /** Who runs here: pid and start time. */
  readonly lock: string;
  /** The private key that tokens are signed with. */
  readonly key: string;
  /** The cluster's objects. */
  readonly state: string;
  /** The object store. */
  readonly objects: string;
  /** The embedded bus's messages. */
  readonly bus: string;
  /** What became of calls. */
  readonly invocations: string;
  readonly images: string;
  /** Output of containers: `<namespace>/<pod>/<container>.log`. */
  readonly logs: string;
  /** HOME and /tmp of pods, zips while they are looked at. Emptied at each start. */
  readonly temporary: string;
  /** Which processes were started. */
  readonly processes: string;
  /** One file for each sample that was deployed once. */
  readonly samples: string;
}

/** The places in that folder, as absolute paths. */
export function localFolder(dir: string): LocalFolder {
  const root = resolve(dir);
  return {
    root,
    token: join(root, 'token'),
    namespace: join(root, 'namespace'),
    pid: join(root, 'pid'),
    env: join(root, 'env'),
    lock: join(root, 'lock'),
    key: join(root, 'key.json'),
    state: join(root, 'state.db'),
    objects: join(root, 'objects'),
    bus: join(root, 'bus.db'),
    invocations: join(root, 'invocations.db'),
    images: join(root, 'images'),
    logs: join(root, 'logs'),
    temporary: join(root, 'tmp'),
    processes: join(root, 'processes'),
    samples: join(root, 'samples'),
  };
}
