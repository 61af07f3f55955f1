import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { isSlessError, SlessError } from '../errors.ts';
import type { ObjectStore, StoredObject } from '../ports/object-store.ts';
import { exactLength, wrongLength } from './exact-length.ts';
import { checkObjectKey } from './object-key.ts';

/** A pair of keys as S3 knows them. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface S3StoreOptions {
  /** Such as `http://minio:9000`; AWS's own, where it is absent. */
  readonly endpoint?: string | undefined;
  readonly bucket: string;
  readonly region: string;
  /** Asked before each request, so that rotated keys are taken up. Without it: what AWS's libraries find. */
  readonly credentials?: (() => Promise<S3Credentials>) | undefined;
}

/** An object store that can be shut down. */
export interface S3Store extends ObjectStore {
  /** Ends idle connections. */
  close(): void;
}

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Keeps objects in one bucket of an S3-compatible server, which must exist. Path-style addresses, no multipart. */
export function createS3Store(options: S3StoreOptions): S3Store {
  const { endpoint, credentials } = options;
  const client = new S3Client({
    region: options.region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials: () => shortLived(credentials) }),
    forcePathStyle: true,
    maxAttempts: 3,
    // Every failure is thrown; the library would write some of them to the console besides.
    logger: SILENT,
    // Servers other than AWS's often know neither trailing checksums nor the encoding that carries them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const { bucket } = options;
  return {
    put: (key, body, { size }) => put(client, { bucket, key, body, size }),
    get: (key) => get(client, bucket, key),
    head: (key) => head(client, bucket, key),
    list: (prefix) => list(client, bucket, prefix),
    delete: async (key) => {
      checkObjectKey(key);
      await translated(key, client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })));
    },
    close: () => client.destroy(),
  };
}

/** The library keeps credentials without an end for ever, and asks again for those that are about to end. */
async function shortLived(
  credentials: () => Promise<S3Credentials>,
): Promise<S3Credentials & { expiration: Date }> {
  return { ...(await credentials()), expiration: new Date() };
}

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly body: Readable | Uint8Array;
  readonly size: number;
}

async function put(client: S3Client, { bucket, key, body, size }: Upload): Promise<void> {
  checkObjectKey(key);
  if (body instanceof Uint8Array) {
    if (body.length !== size) throw wrongLength(size, `${body.length}`);
    await send(client, { bucket, key, body, size });
    return;
  }
  const counted = exactLength(size);
  const abort = new AbortController();
  // A body that fails must end the request before its last byte is sent: the server then keeps nothing.
  const fed = pipeline(body, counted).catch((error: unknown) => {
    abort.abort();
    throw error;
  });
  const sent = send(client, { bucket, key, body: counted, size }, abort.signal);
  const [feeding, sending] = await Promise.allSettled([fed, sent]);
  if (feeding.status === 'rejected' && !counted.errored) throw translate(feeding.reason, key);
  if (counted.errored) throw translate(counted.errored, key);
  if (sending.status === 'rejected') throw sending.reason;
}

async function send(client: S3Client, upload: Upload, abortSignal?: AbortSignal): Promise<void> {
  const { bucket, key, body, size } = upload;
  const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentLength: size });
  try {
    await translated(key, client.send(command, abortSignal === undefined ? {} : { abortSignal }));
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    throw error;
  }
}

async function get(
  client: S3Client,
  bucket: string,
  key: string,
): Promise<StoredObject & { readonly body: Readable }> {
  checkObjectKey(key);
  const answer = await translated(key, client.send(new GetObjectCommand({ Bucket: bucket, Key: key })));
  if (!(answer.Body instanceof Readable)) {
    throw new SlessError('Unavailable', 'the object store answered without a body');
  }
  return { ...described(key, answer.ContentLength, answer.LastModified), body: answer.Body };
}

async function head(client: S3Client, bucket: string, key: string): Promise<StoredObject | undefined> {
  checkObjectKey(key);
  try {
    const answer = await translated(key, client.send(new HeadObjectCommand({ Bucket: bucket, Key: key })));
    return described(key, answer.ContentLength, answer.LastModified);
  } catch (error) {
    if (isSlessError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** S3 lists in the order of the keys' UTF-8 bytes, a thousand a page. */
async function* list(client: S3Client, bucket: string, prefix: string): AsyncGenerator<StoredObject> {
  let token: string | undefined;
  do {
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      ...(token === undefined ? {} : { ContinuationToken: token }),
    });
    const answer: ListObjectsV2CommandOutput = await translated(prefix, client.send(command));
    for (const { Key, Size, LastModified } of answer.Contents ?? []) {
      if (Key !== undefined && !Key.endsWith('/')) yield described(Key, Size, LastModified);
    }
    token = answer.NextContinuationToken;
  } while (token !== undefined);
}

function described(key: string, size: number | undefined, modifiedAt: Date | undefined): StoredObject {
  return { key, size: size ?? 0, modifiedAt: modifiedAt ?? new Date(0) };
}

async function translated<T>(key: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw translate(error, key);
  }
}

function translate(error: unknown, key: string): SlessError {
  if (isSlessError(error)) return error;
  if (error instanceof S3ServiceException) {
    if (error.name === 'NoSuchBucket') return unavailable('has no such bucket', error);
    if (error.$metadata.httpStatusCode === 404) {
      return new SlessError('NotFound', `there is no object ${JSON.stringify(key)}`);
    }
    if (error.$metadata.httpStatusCode === 403) return unavailable('refused our credentials', error);
  }
  return unavailable('could not be used', error);
}

const unavailable = (what: string, cause: unknown): SlessError =>
  new SlessError('Unavailable', `the object store ${what}`, { cause });
