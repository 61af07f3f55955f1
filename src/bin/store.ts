import { readFile } from 'node:fs/promises';
import { createS3Store, type S3Credentials, type S3Store } from '../adapters/s3-store.ts';
import type { Config } from '../config/config.ts';

/** The object store of an installation. */
export function openStore(config: Config): S3Store {
  const { s3Endpoint: endpoint, s3Region: region, s3Bucket: bucket = '' } = config;
  const credentials = credentialsOf(config);
  return createS3Store({
    bucket,
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  });
}

/** Files before variables: whoever has both is on the way from the one to the other. */
function credentialsOf(config: Config): (() => Promise<S3Credentials>) | undefined {
  const { s3AccessKey, s3SecretKey, s3AccessKeyFile, s3SecretKeyFile } = config;
  if (s3AccessKeyFile !== undefined && s3SecretKeyFile !== undefined)
    return async () => ({
      accessKeyId: (await readFile(s3AccessKeyFile, 'utf8')).trim(),
      secretAccessKey: (await readFile(s3SecretKeyFile, 'utf8')).trim(),
    });
  if (s3AccessKey === undefined || s3SecretKey === undefined) return undefined;
  return async () => ({ accessKeyId: s3AccessKey, secretAccessKey: s3SecretKey });
}
