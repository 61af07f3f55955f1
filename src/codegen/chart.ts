import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Setting } from '../config/setting.ts';
import { SETTINGS } from '../config/settings.ts';
import { type ControllerScope, readControllerScopes } from '../preflight/controllers.ts';
import { metacontrollerRules } from '../preflight/metacontroller-rights.ts';
import { crdFiles } from './crd.ts';
import type { GeneratedFile } from './generator.ts';
import { sourcePolicyFile } from './source-policy.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = 'charts/sless/files';

/** What the chart carries of the rest of the repository: Helm reads nothing that lies outside of a chart. */
export function chartFiles(): GeneratedFile[] {
  const controllers = textsIn('metacontroller');
  const scopes = readControllerScopes(controllers.map(({ text }) => text));
  return [
    ...crdFiles().map(({ path, content }) => ({ path: `${FILES}/${path}`, content })),
    ...controllers.map(copy),
    ...manifests().map(copy),
    { path: `${FILES}/settings.txt`, content: settingNames() },
    { path: `${FILES}/metacontroller-rules.yaml`, content: `${HEADER}${rulesText(scopes)}` },
    { path: PAGE, content: pageWithRules(rulesText(scopes)) },
  ];
}

/** One a line, without a header: the chart refuses what is not in it. */
function settingNames(): string {
  const names = Object.values<Setting<unknown>>(SETTINGS).map(({ name }) => name);
  return `${names.sort().join('\n')}\n`;
}

interface Text {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** One of them is generated, maybe anew in this same run; the others are written by hand. */
function manifests(): Text[] {
  const generated = sourcePolicyFile().map(({ path, content }) => ({ path, text: content }));
  const names = new Set(generated.map(({ path }) => path));
  return [...generated, ...textsIn('manifests').filter(({ path }) => !names.has(path))];
}

function textsIn(folder: string): Text[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(join(ROOT, folder, name), 'utf8') }));
}

function copy({ path, text }: Text): GeneratedFile {
  const content = `# Copied from ${path} by \`npm run generate\`. Do not edit.\n${text}`;
  return { path: `${FILES}/${path}`, content };
}

const HEADER = '# Generated from metacontroller/ by `npm run generate`. Do not edit.\n';
const PAGE = 'docs/metacontroller.md';
const RULES = /(<!-- rules[^>]*-->\n)[\s\S]*(<!-- end of rules -->)/;

/** The page with the ClusterRole as an administrator would apply it by hand. */
function pageWithRules(rules: string): string {
  const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: sless-metacontroller
rules:
${rules.replaceAll(/^/gm, '  ').trimEnd()}
`;
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  return page.replace(RULES, (_, start, end) => `${start}\n\`\`\`yaml\n${role}\`\`\`\n\n${end}`);
}

function rulesText(scopes: readonly ControllerScope[]): string {
  const lines = metacontrollerRules(scopes).map(({ apiGroups, resources, verbs, resourceNames }) => {
    const names = resourceNames === undefined ? '' : `, resourceNames: ${flow(resourceNames)}`;
    return `- { apiGroups: ${flow(apiGroups)}, resources: ${flow(resources)}${names}, verbs: ${flow(verbs)} }\n`;
  });
  return lines.join('');
}

function flow(words: readonly string[]): string {
  return `[${words.map((word) => (word === '' ? '""' : word)).join(', ')}]`;
}
