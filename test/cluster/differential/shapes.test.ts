import { afterAll, describe, expect, test } from 'vitest';
import { memberShape, type Shape } from '../../../src/adapters/embedded-cluster/shape.ts';
import { shapeOf } from '../../../src/adapters/embedded-cluster/shapes.ts';
import { KINDS, type Kind } from '../../../src/resources/kube/kinds.ts';
import { apiServer } from '../api-server.ts';
import { installCrds } from '../crds.ts';
import { clusterEnvironment } from '../environment.ts';

const environment = clusterEnvironment();
const server = environment && apiServer(environment.kubeconfig);

/** What an API server publishes of a type, as far as it says how fields are merged. */
interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly Readonly<Record<string, string>>[];
}
type Schemas = Readonly<Record<string, Schema>>;

/** How a field is merged, in one word for both. */
function mergingOf({ schemas, schema }: Typed): string {
  const { type, properties, additionalProperties, ...merging } = resolved({ schemas, schema });
  const isAtomic = merging['x-kubernetes-map-type'] === 'atomic';
  if (type === 'array') return listMerging(merging);
  if (properties) return isAtomic ? 'whole' : 'fields';
  if (additionalProperties) return isAtomic ? 'whole map' : 'map';
  return 'value';
}

function listMerging(merging: Schema): string {
  const keys = (merging['x-kubernetes-list-map-keys'] ?? []).toSorted().join();
  const type = merging['x-kubernetes-list-type'];
  return type === 'map' ? `list by ${keys}` : type === 'set' ? 'set' : 'whole';
}

/** The same of the embedded cluster. Without a shape, lists and values are replaced whole and objects merged by field. */
function ourMerging(shape: Shape | undefined, { type, properties }: Schema): string {
  if (shape?.type === 'list')
    return `list by ${shape.keys
      .map(({ name }) => name)
      .toSorted()
      .join()}`;
  if (shape?.type === 'atomic') return shape.isMap ? 'whole map' : 'whole';
  if (shape !== undefined) return shape.type;
  if (type === 'array') return 'whole';
  return properties ? 'fields' : 'value';
}

interface Typed {
  readonly schemas: Schemas;
  readonly schema: Schema;
}

function resolved({ schemas, schema }: Typed): Schema {
  const { allOf, $ref, ...own } = schema;
  const name = ($ref ?? allOf?.[0]?.$ref)?.split('/').at(-1);
  const target = name === undefined ? undefined : schemas[name];
  return target === undefined ? schema : { ...resolved({ schemas, schema: target }), ...own };
}

/** One line for every field that the two merge in different ways. */
function differences(typed: Typed, shape: Shape | undefined, path: string): string[] {
  const { schemas } = typed;
  const schema = resolved(typed);
  const theirs = mergingOf(typed);
  const ours = ourMerging(shape, schema);
  if (theirs !== ours) return [`${path}: ${theirs} there, ${ours} here`];
  if (shape?.type === 'list' && schema.items)
    return differences({ schemas, schema: schema.items }, shape.item, `${path}[]`);
  if (theirs !== 'fields') return [];
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== 'managedFields')
    .flatMap(([name, member]) =>
      differences({ schemas, schema: member }, memberShape(shape, name), `${path}.${name}`),
    );
}

async function typeOf(kind: Kind): Promise<Typed> {
  const [version = '', group = ''] = kind.apiVersion.split('/').reverse();
  const root = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const { status, body } = await server!.call('GET', `/openapi/v3/${root}`);
  expect(status).toBe(200);
  const { schemas } = body.components as { readonly schemas: Schemas };
  const schema = Object.values(schemas).find((type) =>
    type['x-kubernetes-group-version-kind']?.some(
      (of) => of.group === group && of.kind === kind.kind && of.version === version,
    ),
  );
  if (schema === undefined) throw new Error(`the API server publishes no type ${kind.kind}`);
  return { schemas, schema };
}

describe.skipIf(server === undefined)('every field of every kind is merged as the API server says', () => {
  afterAll(() => server?.close());

  test.each(Object.entries(KINDS))('%s', async (_, kind) => {
    await installCrds(server!);
    expect(differences(await typeOf(kind), shapeOf(kind), kind.kind)).toEqual([]);
  });
});
