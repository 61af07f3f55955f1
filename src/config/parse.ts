import { isIP } from 'node:net';

/** Any text. */
export const text = (value: string): string => value;

/** A TCP port; 0 takes any free one. */
export function port(value: string): number {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= 65_535)) throw new Error('must be a port number from 0 to 65535');
  return number;
}

/** A whole number of at least 1. */
export function count(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error('must be a whole number of at least 1');
  return Number(value);
}

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** A length of time of at most so many milliseconds, in milliseconds: `500ms`, `5s` or `2m`. */
export function duration(most: number): (value: string) => number {
  return (value) => {
    const [, digits, unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(value) ?? [];
    const milliseconds = Number(digits) * (MILLISECONDS[unit] ?? Number.NaN);
    if (!(milliseconds <= most))
      throw new Error(`must be a length of time such as 500ms or 5s, at most ${most / 1000}s`);
    return milliseconds;
  };
}

/** `true` or `false`. */
export function flag(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
  return value === 'true';
}

const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** A number of bytes: `1048576`, `1Mi` or `1MiB`. */
export function bytes(value: string): number {
  const [, digits, unit] = /^(\d{1,12})\s*([KMG]i)?B?$/.exec(value) ?? [];
  const size = Number(digits) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (!Number.isSafeInteger(size) || size < 1)
    throw new Error('must be a size such as 1048576, 128Mi or 1GiB');
  return size;
}

/** An http or https URL without credentials, query and fragment; a slash at its end is dropped. */
export function baseUrl(value: string): string {
  const url = httpUrl(value);
  if (url.search !== '' || url.hash !== '') throw new Error('must have neither a query nor a fragment');
  return url.href.replace(/\/+$/, '');
}

/** An http or https URL without credentials. */
export function anyUrl(value: string): string {
  return httpUrl(value).href;
}

function httpUrl(value: string): URL {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw new Error('must not hold credentials');
  return url;
}

/** A host name without port, in lower case. */
export function hostName(value: string): string {
  const name = value.toLowerCase();
  const labels = name.split('.');
  const valid =
    name.length <= 253 && labels.every((label) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(label));
  if (!valid) throw new Error('must be a host name such as functions.example.org, without scheme and port');
  return name;
}

/** A registry as it stands in an image's name: host, maybe a port, maybe a path. */
export function registry(value: string): string {
  if (!/^[a-zA-Z0-9.-]+(:\d{1,5})?(\/[a-z0-9]+([._/-][a-z0-9]+)*)?$/.test(value))
    throw new Error('must be a registry such as registry.example.org:5000, without a scheme');
  return value;
}

/** Addresses and CIDR blocks, separated by commas. */
export function addressList(value: string): readonly string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  const wrong = entries.filter((entry) => !isAddressBlock(entry));
  if (wrong.length > 0)
    throw new Error('must be IP addresses or CIDR blocks such as 10.0.0.0/8, separated by commas');
  return entries;
}

function isAddressBlock(entry: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address);
  if (family === 0) return false;
  return bits === undefined || Number(bits) <= (family === 4 ? 32 : 128);
}

/** One of a fixed list of words. */
export function oneOf<const W extends string>(...words: readonly W[]): (value: string) => W {
  return (value) => {
    const word = words.find((known) => known === value);
    if (word === undefined) throw new Error(`must be ${words.join(' or ')}`);
    return word;
  };
}

/** The template of an image's name: namespace, name and tag are kept apart by more than a dash. */
export function imageTemplate(value: string): string {
  const complete = /^\{registry\}\/.*\{namespace\}.*\{name\}:\{tag\}$/.test(value);
  if (!complete || !/\{namespace\}(\/|__)/.test(value))
    throw new Error(
      'must be like {registry}/sless/{namespace}/{name}:{tag}, with "/" or "__" after {namespace}',
    );
  return value;
}

/** The template of a runtime image's name. */
export function runtimeImageTemplate(value: string): string {
  if (!/\{image\}:.*\{version\}/.test(value)) throw new Error('must be like {registry}/{image}:{version}');
  return value;
}

const RESOURCE = /^(cpu|memory|ephemeral-storage)=(\d{1,15}(?:\.\d{1,9})?(?:m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?)$/;

/** One amount, as Kubernetes writes it. */
export function quantity(value: string): string {
  if (!RESOURCE.test(`memory=${value}`)) throw new Error('must be a Kubernetes quantity such as 4Gi');
  return value;
}

/** The name of an object in a namespace. */
export function objectName(value: string): string {
  if (value.length > 253 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(value))
    throw new Error('must be the name of an object, in lower case letters, digits, dashes and dots');
  return value;
}

/** Amounts by resource: `cpu=50m,memory=128Mi`. */
export function resources(value: string): Readonly<Record<string, string>> {
  const amounts = value.split(',').map((part) => RESOURCE.exec(part.trim()));
  if (amounts.some((amount) => amount === null))
    throw new Error('must be like cpu=50m,memory=128Mi (cpu, memory, ephemeral-storage)');
  return Object.fromEntries(amounts.map((amount) => [amount?.[1] ?? '', amount?.[2] ?? '']));
}

/** `none`, or amounts by resource. */
export function resourcesOrNone(value: string): Readonly<Record<string, string>> {
  return value === NONE ? {} : resources(value);
}

/** The word for an empty list where an empty text means the default. */
const NONE = 'none';

const QUOTA = /^([a-z][a-z0-9]*(?:[./-][a-z0-9]+)*)=(\d{1,15}(?:\.\d{1,9})?(?:m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?)$/;

/** Hard limits of a ResourceQuota by resource, or `none`. */
export function quota(value: string): Readonly<Record<string, string>> {
  if (value === NONE) return {};
  const limits = value.split(',').map((part) => QUOTA.exec(part.trim()));
  if (limits.some((limit) => limit === null))
    throw new Error('must be like count/jobs.batch=100,requests.cpu=8, or none');
  return Object.fromEntries(limits.map((limit) => [limit?.[1] ?? '', limit?.[2] ?? '']));
}

/** A Secret of the platform in tenants' namespaces. Names that begin with `fn-` are functions' own: any function could read it. */
export function platformSecret(value: string): string {
  const isName = value.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value);
  if (!isName || value.startsWith('fn-'))
    throw new Error('must be the name of a Secret, and must not begin with fn-: functions may read those');
  return value;
}

/** Somewhere in a network: a block of addresses or a namespace, and maybe one port. */
type NetworkPeer =
  | { readonly block: string; readonly port?: number }
  | { readonly namespace: string; readonly port?: number };

const PEER = /^(?:([0-9a-fA-F.:]+\/\d{1,3})|([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?))(?::(\d{1,5}))?$/;

/** Namespaces and CIDR blocks, each maybe with a port, or `none`. */
export function peers(value: string): readonly NetworkPeer[] {
  if (value === NONE) return [];
  return value.split(',').map((part) => peer(part.trim()));
}

function peer(entry: string): NetworkPeer {
  const [, block, namespace = '', digits] = PEER.exec(entry) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  const isPort = port === undefined || (port >= 1 && port <= 65_535);
  const isPlace = block === undefined ? namespace !== '' : isBlock(block);
  if (!isPort || !isPlace)
    throw new Error('must be namespaces and CIDR blocks such as database:5432,10.1.0.0/16, or none');
  return {
    ...(block === undefined ? { namespace } : { block }),
    ...(port === undefined ? {} : { port }),
  };
}

/** CIDR blocks, or `none`. */
export function blocks(value: string): readonly string[] {
  if (value === NONE) return [];
  const entries = value.split(',').map((entry) => entry.trim());
  if (!entries.every(isBlock)) throw new Error('must be CIDR blocks such as 10.0.0.0/8, or none');
  return entries;
}

/** The whole of a family is no part of it, and a NetworkPolicy refuses an exception that is as large as its rule. */
const isBlock = (entry: string): boolean => isAddressBlock(entry) && /\/(?!0+$)/.test(entry);

/** An object in a namespace: `namespace/name`. */
export function namespacedName(value: string): { readonly namespace: string; readonly name: string } {
  const [, namespace, name] = /^([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})$/.exec(value) ?? [];
  if (namespace === undefined || name === undefined) throw new Error('must be namespace/name');
  return { namespace, name };
}
