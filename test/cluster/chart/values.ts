import type { S3Server } from '../../contracts/versitygw.ts';
import type { InstallableEnvironment } from '../installation.ts';
import type { Issuer } from '../issuer.ts';
import { ACCOUNT } from './caller.ts';
import type { Release } from './release.ts';

/** The login with which nodes pull, of the registry here, which asks nobody: with one or without it answers the same. */
export const PULL_SECRET = 'sless-pull';

/** What an installation by the chart stands on here. */
export interface Ground {
  readonly given: InstallableEnvironment;
  readonly store: S3Server;
  readonly issuer: Pick<Issuer, 'jwksUrl'>;
  readonly release: Pick<Release, 'namespace'>;
  /** That of sless, by digest. */
  readonly image: string;
}

/** The values that an administrator would write. */
export function installValues({ given, store, issuer, release, image }: Ground): object {
  return {
    hosts: { api: 'sless.example.com' },
    registry: { host: given.registryHost, insecure: given.registryInsecure, pullSecret: PULL_SECRET },
    image: { digest: image.split('@')[1] },
    images: { kaniko: given.kanikoImage ?? '' },
    storage: {
      endpoint: store.endpoint,
      bucket: store.bucket,
      accessKey: store.accessKeyId,
      secretKey: store.secretAccessKey,
    },
    auth: { jwksUrl: issuer.jwksUrl },
    metacontroller: { namespace: release.namespace, serviceAccount: ACCOUNT },
    // So that all of it fits on one small node, twice while it is upgraded.
    ...Object.fromEntries(
      ['operator', 'api', 'proxy'].map((role) => [role, { resources: { requests: { cpu: '10m' } } }]),
    ),
  };
}
