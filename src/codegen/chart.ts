import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { readControllerScopes } from '../preflight/controllers.ts';
import { metacontrollerRules } from '../preflight/metacontroller-rights.ts';
import { crdFiles } from './crd.ts';
import type { GeneratedFile } from './generator.ts';

const CONTROLLERS = resolve(import.meta.dirname, '../../metacontroller');
const FILES = 'charts/sless/files';

/** What the chart carries of the rest of the repository: Helm reads nothing that lies outside of a chart. */
export function chartFiles(): GeneratedFile[] {
  const controllers = readdirSync(CONTROLLERS)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, text: readFileSync(join(CONTROLLERS, name), 'utf8') }));
  return [
    ...crdFiles().map(({ path, content }) => ({ path: `${FILES}/${path}`, content })),
    ...controllers.map(({ name, text }) => ({
      path: `${FILES}/controllers/${name}`,
      content: `# Copied from metacontroller/${name} by \`npm run generate\`. Do not edit.\n${text}`,
    })),
    {
      path: `${FILES}/metacontroller-rules.yaml`,
      content: metacontrollerRulesText(controllers.map(({ text }) => text)),
    },
  ];
}

/** The rules of Metacontroller's ClusterRole as YAML. */
export function metacontrollerRulesText(controllers: readonly string[]): string {
  const rules = metacontrollerRules(readControllerScopes(controllers));
  const header = '# Generated from metacontroller/ by `npm run generate`. Do not edit.\n';
  return header + stringify(rules, { lineWidth: 0 });
}
