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

/** The kind that a user means by a word, in whatever case. */
export function kindOfWord(word: string): Kind | undefined {
  const lower = word.toLowerCase();
  return Object.values(KINDS).find(
    ({ kind, plural }) => [kind.toLowerCase(), plural].includes(lower) || SHORT[lower] === kind,
  );
}

/** As kubectl writes it: `function.sless.dev/hello`, `secret/fn-a`. */
export function fullName({ apiVersion, kind }: Pick<Kind, 'apiVersion' | 'kind'>, name: string): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${kind.toLowerCase()}${group}/${name}`;
}
