import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { SlessError } from '../errors.ts';
import type { InstallationSite, PodSight, Right } from '../ports/installation-site.ts';
import type { WebhookController } from '../ports/webhook-trust.ts';
import { DEFINITIONS } from '../resources/definitions.ts';
import { readControllerScopes } from './controllers.ts';
import { reportText } from './finding.ts';
import { preflight } from './preflight.ts';

const FOLDER = resolve(import.meta.dirname, '../../metacontroller');
const CONTROLLERS = readdirSync(FOLDER).map((file) => readFileSync(join(FOLDER, file), 'utf8'));
const SCOPES = readControllerScopes(CONTROLLERS);

const POD: PodSight = {
  image: 'ghcr.io/metacontroller/metacontroller:v4.17.2',
  args: ['/usr/bin/metacontroller', '--client-go-qps=200', '--client-go-burst=400'],
  ready: true,
};

/** An installation that lacks nothing, and what a test changes of it. */
interface World {
  version: { major: number; minor: number };
  /** Names of CRDs that are not there. */
  absent: string[];
  /** Fields that the CRD of Functions does not know. */
  unknownFields: string[];
  pods: readonly PodSight[];
  refused: (right: Right) => boolean;
  controllers: readonly WebhookController[];
  reach: InstallationSite['reach'];
  list: () => AsyncIterable<never>;
  digest: (repository: string, tag: string) => Promise<string | undefined>;
  installed: boolean;
}

const fields = (name: string): string[] => {
  const found = DEFINITIONS.find(({ kind }) => name === `${kind.plural}.sless.dev`);
  return Object.keys((found?.spec as { shape?: object } | undefined)?.shape ?? {});
};

async function report(change: Partial<World> = {}): Promise<string[]> {
  const world: World = {
    version: { major: 1, minor: 36 },
    absent: [],
    unknownFields: [],
    pods: [POD],
    refused: () => false,
    controllers: SCOPES.map(({ kind, name }) => ({ kind, name, hooks: { sync: 'CA' } })),
    reach: async () => undefined,
    list: async function* () {},
    digest: async () => 'sha256:1',
    installed: true,
    ...change,
  };
  const site: InstallationSite = {
    version: async () => world.version,
    definition: async (name) =>
      world.absent.includes(name)
        ? undefined
        : {
            versions: ['v1alpha1'],
            established: true,
            specFields: fields(name).filter((field) => !world.unknownFields.includes(field)),
          },
    allows: async (_account, right) => !world.refused(right),
    podsOf: async () => world.pods,
    reach: world.reach,
  };
  const findings = await preflight(
    {
      site,
      trust: { controllers: async () => world.controllers },
      store: { list: world.list },
      registry: { digest: world.digest },
    },
    {
      controllers: CONTROLLERS,
      metacontroller: { namespace: 'metacontroller', name: 'metacontroller' },
      webhookUrl: 'https://sless-operator.sless-system:8443',
      bucket: 'code',
      images: [{ image: 'r:5000/sless:v1.0.0', what: 'the image of sless' }],
      installed: world.installed,
    },
  );
  return reportText(findings).trimEnd().split('\n');
}
const lacking = async (change: Partial<World>): Promise<string[]> =>
  (await report(change)).filter((line) => !line.startsWith('ok') && !line.startsWith('nothing is missing'));

test('where nothing is missing, it says what it has seen', async () => {
  expect(await report()).toEqual([
    'ok      Kubernetes 1.36',
    "ok      Metacontroller's CRDs are served",
    'ok      Metacontroller 4.17.2',
    expect.stringMatching(/^ok {6}Metacontroller \(metacontroller\/metacontroller\) has the \d+ rights/),
    'ok      the bucket code can be listed',
    'ok      the image of sless is in the registry',
    'ok      the CRDs of sless are served, of this version',
    `ok      the ${SCOPES.length} controllers are there`,
    'ok      the webhooks answer at https://sless-operator.sless-system:8443, and the controllers trust their certificate',
    'nothing is missing',
  ]);
});

test.each<[string, Partial<World>, string[]]>([
  [
    'an old Kubernetes',
    { version: { major: 1, minor: 30 } },
    ['Kubernetes 1.30 is too old', '1.31 or later'],
  ],
  [
    'a CRD of Metacontroller that is absent',
    { absent: ['decoratorcontrollers.metacontroller.k8s.io'] },
    ['the CRD decoratorcontrollers.metacontroller.k8s.io is not served', 'docs/metacontroller.md'],
  ],
  ['Metacontroller that is absent', { pods: [] }, ['nobody calls the webhooks', 'metacontroller.namespace']],
  [
    'Metacontroller that is not ready',
    { pods: [{ ...POD, ready: false }] },
    ['no pod of Metacontroller', 'kubectl -n metacontroller logs'],
  ],
  [
    'an old Metacontroller',
    { pods: [{ ...POD, image: 'm:v4.12.0' }] },
    ['4.12.0 is too old', '4.17.2 or later'],
  ],
  [
    'a right that Metacontroller lacks',
    { refused: ({ resource, verb }) => resource === 'jobs' && verb !== 'list' },
    ['may not get, watch, create, update, patch, delete jobs.batch', 'sless-metacontroller'],
  ],
  [
    'the right to bind one role',
    { refused: ({ verb, name }) => verb === 'bind' && name === 'sless-registry-secrets' },
    ['may not bind clusterroles.rbac.authorization.k8s.io "sless-registry-secrets"', 'sless-metacontroller'],
  ],
  [
    'an old CRD of sless',
    { unknownFields: ['concurrency', 'secrets'] },
    ['is of an older version: it does not know secrets, concurrency', 'docs/upgrade.md'],
  ],
  [
    'no CRD of sless',
    { absent: ['triggers.sless.dev'] },
    ['triggers.sless.dev is not served', 'crds.install'],
  ],
  [
    'an image that is not pushed',
    { digest: async () => undefined },
    ['the image of sless, r:5000/sless:v1.0.0, is not in the registry', 'docs/install.md'],
  ],
  [
    'a webhook that cannot be reached',
    { reach: () => Promise.reject(new Error('connect ECONNREFUSED')) },
    [
      'cannot be used at https://sless-operator.sless-system:8443: connect ECONNREFUSED',
      'pods of sless-operator',
    ],
  ],
  [
    'a webhook that is not trusted',
    { reach: () => Promise.reject(new Error('self-signed certificate in certificate chain')) },
    ['self-signed certificate', 'sless certificate'],
  ],
])('it says in words what is missing: %s', async (_, change, [says = '', remedy = '']) => {
  const [line, advice, end] = await lacking(change);
  expect(line).toMatch(/^MISSING /);
  expect(line).toContain(says);
  expect(advice).toContain(remedy);
  expect(end).toBe('1 missing');
});

test('a bucket that is away, and a registry that is, are told with their own words', async () => {
  const away = (message: string) => Promise.reject(new SlessError('Unavailable', message));
  const list = async function* () {
    yield await away('NoSuchBucket');
  };
  expect(await lacking({ list, digest: () => away('no route') })).toEqual([
    'MISSING the bucket code cannot be used: NoSuchBucket',
    expect.stringContaining('storage.*'),
    'MISSING the registry cannot be asked for r:5000/sless:v1.0.0: no route',
    expect.stringContaining('registry.host'),
    '2 missing',
  ]);
});

test('what works and could be better is a note', async () => {
  const args = ['--apply-strategy=server-side-apply'];
  const refused = () => Promise.reject(new SlessError('RegistryRefused', 'no'));
  const lines = await lacking({ pods: [{ ...POD, args }], digest: refused });
  expect(lines.filter((line) => line.startsWith('note'))).toEqual([
    expect.stringContaining('may ask the API server 5 times a second'),
    expect.stringContaining('takes over objects'),
    expect.stringContaining('wants a login'),
  ]);
});

test('a controller that is absent, and one that trusts nobody', async () => {
  const [first, ...others] = SCOPES.map(({ kind, name }) => ({ kind, name, hooks: { sync: undefined } }));
  expect(await lacking({ controllers: others })).toContain(
    `MISSING the ${first?.kind} ${first?.name} is not there`,
  );
  expect(await lacking({ controllers: [first!, ...others] })).toContain(
    'MISSING a controller does not say whom its webhook must trust',
  );
});

test('what cannot be looked at is missing too, and the rest is still looked at', async () => {
  const refused = () => {
    throw new SlessError('Forbidden', 'subjectaccessreviews is forbidden');
  };
  const lines = await report({ refused });
  expect(lines).toContain(
    "MISSING nothing can be said of Metacontroller's rights: subjectaccessreviews is forbidden",
  );
  expect(lines).toContain('ok      the CRDs of sless are served, of this version');
});

test('before the installation neither its own parts are looked for nor what they bring', async () => {
  // As docs/metacontroller.md installs it: without rights, so that it starts in vain.
  const before: Partial<World> = {
    ...{ installed: false, absent: ['functions.sless.dev'], controllers: [] },
    ...{ pods: [{ ...POD, ready: false }], refused: () => true },
  };
  const lines = await report(before);
  expect(lines.at(-1)).toBe('nothing is missing');
  expect(lines).toContain('ok      Metacontroller 4.17.2');
  expect(lines.filter((line) => line.startsWith('note'))).toEqual([
    'note    no pod of Metacontroller (metacontroller/metacontroller) is ready',
    expect.stringMatching(/^note {4}Metacontroller \(.*\) lacks (\d+) of the \1 rights that it needs$/),
  ]);
});

test.each<[string, Partial<World>, string]>([
  [
    'no Metacontroller',
    { pods: [] },
    'MISSING no pod runs as the ServiceAccount metacontroller/metacontroller',
  ],
  [
    'an old one that waits',
    { pods: [{ ...POD, image: 'm:v4.12.0', ready: false }] },
    'MISSING Metacontroller 4.12.0',
  ],
])('before the installation %s is missing all the same', async (_, change, says) => {
  expect(await lacking({ installed: false, ...change })).toContainEqual(expect.stringContaining(says));
});
