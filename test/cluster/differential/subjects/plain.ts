import fc from 'fast-check';
import { KINDS } from '../../../../src/resources/kube/kinds.ts';
import type { Json, Subject } from '../step.ts';
import { one, patchOf, pick, some, withMetadata } from './metadata.ts';

const text = one('1', '2', '', 'größer\n');
const data = some({ a: text, b: text, 'c.json': text });
const badData = one<Json>({ 'bad key': 'x' }, { a: 1 }, { a: null });
const immutable = fc.option(one(true, false), { nil: undefined, freq: 12 });
const frozen = (value: boolean | undefined) => (value === undefined ? {} : { immutable: value });

export const CONFIG_MAP: Subject = {
  kind: KINDS.ConfigMap,
  whole: withMetadata(
    fc.oneof(
      { weight: 8, arbitrary: fc.tuple(data, immutable).map(([all, is]) => ({ data: all, ...frozen(is) })) },
      { weight: 1, arbitrary: one<Json>({}, { data: null }, { data: {}, binaryData: { z: 'AA==' } }) },
      { weight: 1, arbitrary: badData.map((all) => ({ data: all })) },
    ),
  ),
  partial: withMetadata(data.map((all) => ({ data: all }))),
  patch: patchOf(
    fc.oneof(
      some({ a: one('3', null), d: one('4', null) }).map((all) => ({ data: all })),
      one<Json>({ data: null }, { data: {} }, { immutable: null }, { binaryData: { z: 'AA==' } }, {}),
      badData.map((all) => ({ data: all })),
    ),
  ),
};

const base64 = one('MQ==', 'Mg==', '');
const secretData = some({ a: base64, b: base64 });
const badSecret = one<Json>({ data: { a: 'not base64!' } }, { data: { 'bad key': '' } }, { type: 'other' });

export const SECRET: Subject = {
  kind: KINDS.Secret,
  whole: withMetadata(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.tuple(secretData, immutable).map(([all, is]) => ({ data: all, ...frozen(is) })),
      },
      { weight: 2, arbitrary: some({ data: secretData, stringData: some({ a: text, c: text }) }) },
      { weight: 1, arbitrary: one<Json>({}, { type: 'Opaque' }, { data: null }) },
      { weight: 1, arbitrary: badSecret },
    ),
  ),
  partial: withMetadata(secretData.map((all) => ({ data: all }))),
  patch: patchOf(
    fc.oneof(
      some({ a: one('Mw==', null), d: one('NA==', null) }).map((all) => ({ data: all })),
      some({ a: text, c: text }).map((all) => ({ stringData: all })),
      one<Json>({ data: null }, { type: null }, { stringData: null }),
      badSecret,
    ),
  ),
};

const port = (number: number) =>
  one<Json>(
    { name: `p${number}`, port: number },
    { name: `p${number}`, port: number, targetPort: 'http' },
    { name: `p${number}`, port: number, protocol: 'UDP' },
    { name: `p${number}`, port: number, targetPort: 9090, protocol: 'TCP' },
  );
const ports = fc
  .tuple(port(80), port(8080), port(53))
  .chain((all) => fc.shuffledSubarray([...all], { minLength: 1 }));
const serviceFields = {
  selector: one<Json>({ app: 'a' }, { app: 'a', more: 'b' }, {}),
  sessionAffinity: one('None', 'ClientIP'),
  publishNotReadyAddresses: one(true, false),
  internalTrafficPolicy: one('Local'),
};
/** Headless ones have a selector: see the table of differences. */
const headless = { clusterIP: 'None', selector: { app: 'a' } };

export const SERVICE: Subject = {
  kind: KINDS.Service,
  whole: withMetadata(
    fc
      .tuple(ports, some(serviceFields), one<Json>({}, {}, {}, headless))
      .map(([all, fields, more]) => ({ spec: { ports: all, ...fields, ...more } })),
  ),
  partial: withMetadata(
    fc.oneof(
      some({ ports, selector: serviceFields.selector }).map((fields) => ({ spec: fields })),
      one<Json>({}),
    ),
  ),
  patch: patchOf(
    fc.oneof(
      some({ ports, selector: one<Json | null>({ only: 'this' }, { more: null }, null) }).map((fields) => ({
        spec: fields,
      })),
      one<Json>(
        { spec: { clusterIP: '10.97.1.1' } },
        { spec: { sessionAffinity: null } },
        { spec: { type: null } },
      ),
      one<Json>({ status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } }),
    ),
  ),
};

const endpoint = (last: number) =>
  one<Json>(
    { addresses: [`10.244.0.${last}`] },
    { addresses: [`10.244.0.${last}`], conditions: { ready: true } },
    { addresses: [`10.244.0.${last}`], conditions: { ready: false, serving: true, terminating: true } },
    { addresses: [`10.244.0.${last}`], targetRef: { kind: 'Pod', name: 'x' }, conditions: {} },
  );
const endpoints = fc.tuple(endpoint(7), endpoint(8)).chain((all) => pick(...all));
const slicePorts = pick<Json>({ name: 'http', port: 8080 }, { port: 53, protocol: 'UDP' });
const slice = some({ endpoints, ports: slicePorts });

export const ENDPOINT_SLICE: Subject = {
  kind: KINDS.EndpointSlice,
  whole: withMetadata(slice.map((fields) => ({ addressType: 'IPv4', endpoints: [], ...fields }))),
  partial: withMetadata(fc.oneof(slice, one<Json>({ addressType: 'IPv4', endpoints: [] }, {}))),
  patch: patchOf(fc.oneof(slice, one<Json>({ addressType: 'IPv6' }, { ports: null }, { endpoints: null }))),
};
