import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { DEFINITIONS } from '../resources/definitions.ts';
import { SLESS_API_VERSION } from '../resources/kube/kinds.ts';
import type { GeneratedFile } from './generator.ts';

const FOLDER = 'gitops/argocd';

const HEADER = `# Generated from gitops/argocd/*.lua by \`npm run generate\`. Do not edit.
#
# To be merged into the ConfigMap of an Argo CD: kubectl patch configmap argocd-cm -n argocd --patch-file ${FOLDER}/argocd-cm.yaml
`;

/** The health checks as Argo CD reads them. */
export function argoFile(): readonly GeneratedFile[] {
  const [group] = SLESS_API_VERSION.split('/');
  const root = resolve(import.meta.dirname, '../..', FOLDER);
  const data = Object.fromEntries(
    DEFINITIONS.map(({ kind: { kind } }) => [
      `resource.customizations.health.${group}_${kind}`,
      readFileSync(join(root, `${kind}.lua`), 'utf8'),
    ]),
  );
  const content = HEADER + stringify({ data }, { lineWidth: 0, blockQuote: 'literal' });
  return [{ path: `${FOLDER}/argocd-cm.yaml`, content }];
}
