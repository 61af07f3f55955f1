import type { AccessQuestion } from '../../../ports/access-review.ts';

type Resource = AccessQuestion['resource'];
type Wish = Pick<AccessQuestion, 'verb' | 'resource' | 'name'>;

/** The kinds behind the collections of REST. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  functions: 'functions',
  triggers: 'triggers',
  jobs: 'functionjobs',
};

const OF_COLLECTION: Readonly<Record<string, Wish['verb']>> = { GET: 'list', HEAD: 'list', POST: 'create' };
const OF_OBJECT: Readonly<Record<string, Wish['verb']>> = {
  GET: 'get',
  HEAD: 'get',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** What is done to a part of an object: code, logs, versions. Whoever may change the object may change those. */
const OF_PART: Readonly<Record<string, Wish['verb']>> = { GET: 'get', HEAD: 'get', POST: 'patch' };

/**
 * What a request comes to in the words of Kubernetes' RBAC: REST's operations are those of kubectl on the same objects.
 * `path` is what follows the namespace, such as `functions/hello/upload`. `undefined` for what nobody may do elsewhere.
 */
export function wishOf(method: string, path: string): Wish | undefined {
  const [collection = '', name, part] = path.split('/').map(decoded);
  // It only looks whether the namespace is there: making one is for its owner.
  if (collection === 'ensure' && name === undefined) return { verb: 'list', resource: 'functions' };
  // A message makes functions run.
  if (collection === 'events') return { verb: 'patch', resource: 'functions' };
  const resource = Object.hasOwn(RESOURCES, collection) ? RESOURCES[collection] : undefined;
  const verbs = name === undefined ? OF_COLLECTION : part === undefined ? OF_OBJECT : OF_PART;
  const verb = verbs[method];
  if (resource === undefined || verb === undefined) return undefined;
  return name === undefined ? { verb, resource } : { verb, resource, name };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
