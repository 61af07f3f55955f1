import type { Account, InstallationSite, PodSight, Right } from '../ports/installation-site.ts';
import { type Finding, missing, note, ok } from './finding.ts';
import type { Rule } from './metacontroller-rights.ts';

const DOCS = 'docs/metacontroller.md';
/** Before it, a write of its own to a status woke Metacontroller again. */
const OLDEST = [4, 17, 2] as const;
/** At its default of 5 a restart takes half an hour for 10,000 Functions. */
const LEAST_QPS = 200;

/** Whose they are, and whether sless is there already: with the rights that its chart brings Metacontroller begins to work. */
export interface MetacontrollerCheck {
  readonly account: Account;
  readonly installed: boolean;
}

/** Which Metacontroller runs, and how. */
export async function checkMetacontrollerPods(
  site: Pick<InstallationSite, 'podsOf'>,
  { account, installed }: MetacontrollerCheck,
): Promise<Finding[]> {
  const pods = await site.podsOf(account);
  const who = `${account.namespace}/${account.name}`;
  if (pods.length === 0)
    return [
      missing(
        `no pod runs as the ServiceAccount ${who}: nobody calls the webhooks`,
        `install Metacontroller there, or say where it is: metacontroller.namespace and metacontroller.serviceAccount of the chart`,
      ),
    ];
  const ready = pods.filter((pod) => pod.ready);
  if (ready.length > 0) return ready.flatMap(podFindings);
  const says = `no pod of Metacontroller (${who}) is ready`;
  return installed
    ? [missing(says, `kubectl -n ${account.namespace} logs`)]
    : [
        note(says, `without rights of its own it waits for those that come with sless`),
        ...pods.flatMap(podFindings),
      ];
}

function podFindings({ image, args }: PodSight): Finding[] {
  return [versionFinding(image), ...flagFindings(args)];
}

function versionFinding(image: string): Finding {
  const [text, ...parts] = /:v?(\d+)\.(\d+)\.(\d+)/.exec(image) ?? [];
  if (text === undefined)
    return note(
      `the version of Metacontroller cannot be told from ${image}`,
      `see ${DOCS} for what is needed`,
    );
  const version = parts.map(Number);
  const says = `Metacontroller ${version.join('.')}`;
  return isOlder(version, OLDEST) ? missing(`${says} is too old`, `${OLDEST.join('.')} or later`) : ok(says);
}

function isOlder(version: readonly number[], than: readonly number[]): boolean {
  const index = version.findIndex((part, i) => part !== than[i]);
  return index >= 0 && (version[index] ?? 0) < (than[index] ?? 0);
}

function flagFindings(args: readonly string[]): Finding[] {
  const flag = (name: string) =>
    args.map((arg) => new RegExp(`^--?${name}=(.*)$`).exec(arg)?.[1]).find(Boolean);
  const qps = Number(flag('client-go-qps') ?? 5);
  const found: Finding[] = [];
  if (qps < LEAST_QPS)
    found.push(
      note(
        `Metacontroller may ask the API server ${qps} times a second: with many functions everything is late`,
        `--client-go-qps=${LEAST_QPS} --client-go-burst=${2 * LEAST_QPS}: ${DOCS}`,
      ),
    );
  if (flag('apply-strategy') === 'server-side-apply')
    found.push(
      note(
        'Metacontroller runs with --apply-strategy=server-side-apply, which takes over objects of the same name that are not ours',
        `dynamic-apply, its default, leaves them alone: ${DOCS}`,
      ),
    );
  return found;
}

/** How many questions are asked at once. */
const AT_ONCE = 8;

/** Whether Metacontroller may do all that these rules allow. */
export async function checkMetacontrollerRights(
  site: Pick<InstallationSite, 'allows'>,
  { account, installed, rules }: MetacontrollerCheck & { readonly rules: readonly Rule[] },
): Promise<Finding[]> {
  const rights = rules.flatMap(rightsOf);
  const lacking: Right[] = [];
  for (let at = 0; at < rights.length; at += AT_ONCE) {
    const some = rights.slice(at, at + AT_ONCE);
    const allowed = await Promise.all(some.map((right) => site.allows(account, right)));
    lacking.push(...some.filter((_, index) => !allowed[index]));
  }
  const who = `${account.namespace}/${account.name}`;
  if (lacking.length === 0)
    return [ok(`Metacontroller (${who}) has the ${rights.length} rights that it needs`)];
  if (!installed)
    return [
      note(
        `Metacontroller (${who}) lacks ${lacking.length} of the ${rights.length} rights that it needs`,
        `they come with sless, unless metacontroller.role.create or bind is false: ${DOCS}`,
      ),
    ];
  const remedy = `bind the ClusterRole sless-metacontroller to it (metacontroller.role of the chart): ${DOCS}`;
  const words = grouped(lacking).map((what) => `Metacontroller (${who}) may not ${what}`);
  // One remedy for all of them, after the last.
  return words.map((says, index) => missing(says, index === words.length - 1 ? remedy : undefined));
}

function rightsOf({ apiGroups, resources, verbs, resourceNames }: Rule): Right[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        (resourceNames ?? [undefined]).map((name) => ({
          group,
          resource,
          verb,
          ...(name === undefined ? {} : { name }),
        })),
      ),
    ),
  );
}

/** "create, delete jobs.batch": one line a resource. */
function grouped(rights: readonly Right[]): string[] {
  const verbs = new Map<string, string[]>();
  for (const { group, resource, verb, name } of rights) {
    const what = `${group === '' ? resource : `${resource}.${group}`}${name === undefined ? '' : ` "${name}"`}`;
    verbs.set(what, [...(verbs.get(what) ?? []), verb]);
  }
  return [...verbs].map(([what, missed]) => `${missed.join(', ')} ${what}`);
}
