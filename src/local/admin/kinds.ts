import { KINDS, type Kind } from '../../resources/kube/kinds.ts';

/** Words for a kind beside its name and its plural, as in the CRDs and in Kubernetes. */
const SHORT: Readonly<Record<string, string>> = {
  fn: 'Function',
  trg: 'Trigger',
  fnjob: 'FunctionJob',
  ns: 'Namespace',
  deploy: 'Deployment',
  po: 'Pod',
  svc: 'Service',
};

/** Kinds that are a user's to write; all others are made from them. */
export const WRITABLE: readonly Kind[] = [
  KINDS.Function,
  KINDS.Trigger,
  KINDS.FunctionJob,
  KINDS.Secret,
  KINDS.Namespace,
];

/**
 * The kind that a user means by a word, in whatever case: its name, its plural or its short name, as in kubectl also with
 * the group behind it (`functions.sless.dev`), or version and group (`functions.v1alpha1.sless.dev`).
 */
export function kindOfWord(word: string): Kind | undefined {
  const [first = '', ...rest] = word.toLowerCase().split('.');
  return Object.values(KINDS).find((kind) => {
    const isNamed = [kind.kind.toLowerCase(), kind.plural].includes(first) || SHORT[first] === kind.kind;
    return isNamed && isGroup(kind, rest.join('.'));
  });
}

function isGroup({ apiVersion }: Kind, qualifier: string): boolean {
  if (qualifier === '') return true;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return qualifier === group || (group !== '' && qualifier === `${version}.${group}`);
}

/** Every kind with the words for it, for whoever used another one. */
export function allKinds(): string {
  const shortOf = (name: string) => Object.keys(SHORT).find((short) => SHORT[short] === name);
  return Object.values(KINDS)
    .map(({ kind, plural }) => [plural, shortOf(kind)].filter((word) => word !== undefined).join(' or '))
    .join(', ');
}

/** As kubectl writes it: `function.sless.dev/hello`, `secret/fn-a`. */
export function fullName({ apiVersion, kind }: Pick<Kind, 'apiVersion' | 'kind'>, name: string): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${kind.toLowerCase()}${group}/${name}`;
}
