import type { InstallationSite } from '../ports/installation-site.ts';
import { DEFINITIONS } from '../resources/definitions.ts';
import { type Finding, missing, ok } from './finding.ts';

/** podFailurePolicy of Jobs is there for good. */
const OLDEST = { major: 1, minor: 31 } as const;

export async function checkKubernetes(site: Pick<InstallationSite, 'version'>): Promise<Finding[]> {
  const { major, minor } = await site.version();
  const isEnough = major > OLDEST.major || minor >= OLDEST.minor;
  if (isEnough) return [ok(`Kubernetes ${major}.${minor}`)];
  const wanted = `${OLDEST.major}.${OLDEST.minor}`;
  return [missing(`Kubernetes ${major}.${minor} is too old`, `sless needs ${wanted} or later`)];
}

const METACONTROLLER_KINDS = ['compositecontrollers', 'decoratorcontrollers', 'controllerrevisions'];

/** Without one of its kinds Metacontroller does not start; without ours it says so in its log alone. */
export async function checkMetacontrollerKinds(
  site: Pick<InstallationSite, 'definition'>,
): Promise<Finding[]> {
  const found = await Promise.all(
    METACONTROLLER_KINDS.map(async (plural) => {
      const name = `${plural}.metacontroller.k8s.io`;
      const definition = await site.definition(name);
      return definition?.established && definition.versions.includes('v1alpha1') ? undefined : name;
    }),
  );
  const lacking = found.filter((name) => name !== undefined);
  if (lacking.length === 0) return [ok("Metacontroller's CRDs are served")];
  return lacking.map((name) =>
    missing(`the CRD ${name} is not served`, 'install Metacontroller with its CRDs: docs/metacontroller.md'),
  );
}

/** Our own kinds, of this version. */
export async function checkOurKinds(site: Pick<InstallationSite, 'definition'>): Promise<Finding[]> {
  const findings = await Promise.all(
    DEFINITIONS.map(async ({ kind, spec }): Promise<Finding | undefined> => {
      const [group, version = ''] = kind.apiVersion.split('/');
      const name = `${kind.plural}.${group}`;
      const found = await site.definition(name);
      if (!found?.established || !found.versions.includes(version))
        return missing(`the CRD ${name} is not served`, 'crds.install=true of the chart installs it');
      const lacking = fieldsOf(spec).filter((field) => !found.specFields.includes(field));
      if (lacking.length === 0) return undefined;
      const says = `the CRD ${name} is of an older version: it does not know ${lacking.join(', ')}`;
      return missing(says, 'upgrade the CRDs: docs/upgrade.md');
    }),
  );
  const wrong = findings.filter((finding) => finding !== undefined);
  return wrong.length > 0 ? wrong : [ok('the CRDs of sless are served, of this version')];
}

function fieldsOf(schema: object): readonly string[] {
  const { shape } = schema as { readonly shape?: object };
  return shape === undefined ? [] : Object.keys(shape);
}
