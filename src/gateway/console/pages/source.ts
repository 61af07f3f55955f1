import { html } from 'hono/html';
import { isSlessError } from '../../../errors.ts';
import { BASE } from '../base-path.ts';
import { copyButton } from '../parts/copy.ts';
import { icon } from '../parts/icon.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { size } from '../parts/time.ts';
import type { View } from '../view.ts';
import { type FunctionData, functionPage } from './function-page.ts';

/** A file as REST answers it. */
export interface SourceFile {
  readonly name: string;
  readonly size: number;
  readonly content: string | null;
  readonly omitted?: 'binary' | 'too large';
}

/** The files of the wanted code; none before the first upload. */
export async function readSource({ rest, namespace }: View, name: string): Promise<readonly SourceFile[]> {
  try {
    return await rest.read<readonly SourceFile[]>(`${namespace}/functions/${name}/source`);
  } catch (error) {
    if (isSlessError(error, 'NoSuchVersion')) return [];
    throw error;
  }
}

interface SourceOptions {
  readonly files: readonly SourceFile[];
  /** The file to show; the entrypoint's, or the first, where it is absent. */
  readonly path: string | undefined;
}

/** The code as a tree, and one of its files. */
export function sourcePage(view: View, data: FunctionData, { files, path }: SourceOptions): Markup {
  const { fn } = data;
  const shown = files.find(({ name }) => name === (path ?? mainFile(files, fn.entrypoint))) ?? files[0];
  const body =
    shown === undefined
      ? html`<section class="empty">${icon('file')}<h2>No code yet</h2><p>Upload a zip or a folder to see it here.</p><a class="button primary" href="${BASE}/${fn.namespace}/deployments/${fn.name}">Deploy</a></section>`
      : html`<div class="source"><nav class="tree" aria-label="Files"><ul>${level(treeOf(files), { shown: shown.name, base: `${BASE}/${fn.namespace}/source/${fn.name}` })}</ul></nav>
<section class="code-card" aria-label="${shown.name}"><div class="code-head"><span class="mono">${shown.name}</span><span class="dim">${size(shown.size)}</span><span class="spring"></span>${shown.content === null ? '' : copyButton(shown.content, shown.name)}</div>${fileBody(shown)}</section></div>`;
  return functionPage(view, data, { tab: 'source', body });
}

function mainFile(files: readonly SourceFile[], entrypoint: string | null): string | undefined {
  const module = (entrypoint ?? '').split('.').slice(0, -1).join('/');
  return files.find(({ name }) => name.replace(/\.[^./]+$/, '') === module)?.name;
}

function fileBody({ name, content, omitted }: SourceFile): Content {
  if (content === null)
    return html`<p class="empty small">${omitted === 'binary' ? 'This file is no text.' : 'This file is too large to be shown.'}</p>`;
  const lines = content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
  const numbers = Array.from({ length: lines }, (_, i) => i + 1).join('\n');
  return html`<div class="code" tabindex="0" role="region" aria-label="Content"><pre class="numbers" aria-hidden="true">${numbers}</pre><pre><code data-code="${languageOf(name)}">${content}</code></pre></div>`;
}

/** The language by what a file's name ends in, as highlight.js calls it. */
export function languageOf(name: string): string {
  const end = name.split('.').at(-1)?.toLowerCase() ?? '';
  return LANGUAGES[end] ?? 'plaintext';
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{
    py: 'python',
    js: 'javascript',
    mjs: 'javascript',
    cjs: 'javascript',
    ts: 'typescript',
    mts: 'typescript',
  },
  ...{
    json: 'json',
    yaml: 'yaml',
    yml: 'yaml',
    sh: 'bash',
    sql: 'sql',
    go: 'go',
    md: 'markdown',
    html: 'xml',
    xml: 'xml',
  },
  ...{
    svg: 'xml',
    css: 'css',
    toml: 'ini',
    ini: 'ini',
    cfg: 'ini',
    rs: 'rust',
    rb: 'ruby',
    java: 'java',
    txt: 'plaintext',
  },
};

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: { readonly text: string; readonly name: string }[];
}

function treeOf(files: readonly SourceFile[]): Folder {
  const root: Folder = { folders: new Map(), files: [] };
  for (const { name } of files) {
    const steps = name.split('/');
    const text = steps.pop() ?? name;
    let at = root;
    for (const step of steps) {
      const next: Folder = at.folders.get(step) ?? { folders: new Map(), files: [] };
      at.folders.set(step, next);
      at = next;
    }
    at.files.push({ text, name });
  }
  return root;
}

interface Place {
  readonly shown: string;
  readonly base: string;
  readonly prefix?: string;
}

/** Folders first; those on the way to what is shown are open. */
function level({ folders, files }: Folder, place: Place): Content {
  const { shown, base, prefix = '' } = place;
  return [
    ...[...folders].map(([name, folder]) => {
      const path = `${prefix}${name}/`;
      const isOpen = shown.startsWith(path) || folders.size + files.length < 6;
      return html`<li><details${isOpen ? html` open` : ''}><summary>${icon('folder')}${name}</summary><ul>${level(folder, { ...place, prefix: path })}</ul></details></li>`;
    }),
    ...files.map(
      ({ text, name }) =>
        html`<li><a href="${base}?file=${encodeURIComponent(name)}"${name === shown ? html` aria-current="true"` : ''}>${icon('file')}${text}</a></li>`,
    ),
  ];
}
