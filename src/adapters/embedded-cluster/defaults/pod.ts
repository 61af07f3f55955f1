import { isJsonObject, type Json } from '../merge-patch.ts';
import { canonicalQuantity } from './quantity.ts';

/** 0644, how the API server writes the mode of files in volumes. */
const FILE_MODE = 420;

/** The members of a JSON object, or none. */
export const membersOf = (value: unknown): Json => (isJsonObject(value) ? value : {});

/** `{ [key]: change(object[key]) }` where the object has that member, to be spread behind it. */
export function within(object: Json, key: string, change: (member: Json) => Json): Json {
  const member = object[key];
  return isJsonObject(member) ? { [key]: change(member) } : {};
}

/** The same for a list of objects. */
export function each(object: Json, key: string, change: (item: Json) => Json): Json {
  const list = object[key];
  return Array.isArray(list) ? { [key]: list.map((item) => (isJsonObject(item) ? change(item) : item)) } : {};
}

/** A pod's spec with what the API server fills in. Recorded: see `test/contracts/recorded`. */
export function podSpecDefaults(spec: Json): Json {
  return {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    ...spec,
    ...serviceAccount(spec),
    ...each(spec, 'containers', container),
    ...each(spec, 'initContainers', container),
    ...each(spec, 'volumes', volume),
  };
}

/** Two names of one field: the old one is what is left when the new one goes. */
function serviceAccount({ serviceAccountName, serviceAccount: old }: Json): Json {
  const name = serviceAccountName ?? old;
  return name === undefined ? {} : { serviceAccountName: name, serviceAccount: name };
}

/** A pod template with the defaults of its spec. */
export function podTemplateDefaults(template: Json): Json {
  return { metadata: {}, ...template, ...within(template, 'spec', podSpecDefaults) };
}

function container(given: Json): Json {
  return {
    imagePullPolicy: isLatest(given.image) ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    ...given,
    resources: resources(membersOf(given.resources)),
    ...each(given, 'env', envVariable),
    ...each(given, 'ports', (port) => ({ protocol: 'TCP', ...port })),
    ...within(given, 'readinessProbe', probe),
    ...within(given, 'livenessProbe', probe),
    ...within(given, 'startupProbe', probe),
  };
}

/** No tag and no digest means `latest`, which is pulled always. */
function isLatest(image: unknown): boolean {
  const name = String(image);
  const tag = /:([^/:@]+)$/.exec(name)?.[1];
  return !name.includes('@') && (tag === undefined || tag === 'latest');
}

function envVariable({ value, ...variable }: Json): Json {
  const from = within(variable, 'valueFrom', fieldReference);
  return { ...variable, ...(value === undefined || value === '' ? {} : { value }), ...from };
}

const fieldReference = (source: Json): Json => ({
  ...source,
  ...within(source, 'fieldRef', (field) => ({ apiVersion: 'v1', ...field })),
});

function resources(given: Json): Json {
  const quantities = (amounts: Json) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, canonicalQuantity(amount)]));
  return { ...given, ...within(given, 'requests', quantities), ...within(given, 'limits', quantities) };
}

function probe(given: Json): Json {
  return {
    failureThreshold: 3,
    periodSeconds: 10,
    successThreshold: 1,
    timeoutSeconds: 1,
    ...given,
    ...within(given, 'httpGet', (http) => ({ path: '/', scheme: 'HTTP', ...http })),
  };
}

function volume(given: Json): Json {
  const files = (source: Json): Json => ({ defaultMode: FILE_MODE, ...source });
  const fieldItems = (source: Json): Json => ({ ...source, ...each(source, 'items', fieldReference) });
  const projection = (source: Json) => ({
    ...source,
    ...within(source, 'serviceAccountToken', (wanted) => ({ expirationSeconds: 3600, ...wanted })),
    ...within(source, 'downwardAPI', fieldItems),
  });
  const isBare = Object.keys(given).every((key) => key === 'name');
  return {
    ...given,
    ...(isBare ? { emptyDir: {} } : {}),
    ...within(given, 'secret', files),
    ...within(given, 'configMap', files),
    ...within(given, 'downwardAPI', (source) => files(fieldItems(source))),
    ...within(given, 'projected', (source) =>
      files({ sources: null, ...source, ...each(source, 'sources', projection) }),
    ),
    ...within(given, 'emptyDir', ({ sizeLimit, ...dir }) =>
      sizeLimit === undefined ? dir : { ...dir, sizeLimit: canonicalQuantity(sizeLimit) },
    ),
  };
}
