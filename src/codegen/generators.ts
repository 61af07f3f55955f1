import { apiTypesFile } from './api-types.ts';
import { argoFile } from './argo.ts';
import { chartFiles } from './chart.ts';
import { crdFiles } from './crd.ts';
import { errorsPage } from './errors-page.ts';
import type { Generator } from './generator.ts';
import { openApiFile } from './openapi.ts';
import { settingsFile } from './settings-table.ts';
import { sourcePolicyFile } from './source-policy.ts';
import { terraformClientFiles } from './terraform-client.ts';

/** Everything that `npm run generate` makes. A test holds that the files in the tree are current. */
export const GENERATORS: readonly Generator[] = [
  apiTypesFile,
  argoFile,
  crdFiles,
  chartFiles,
  errorsPage,
  openApiFile,
  settingsFile,
  sourcePolicyFile,
  terraformClientFiles,
];
