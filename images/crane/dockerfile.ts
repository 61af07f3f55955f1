/** A step that changes a stage's files. */
export type Step =
  | {
      readonly type: 'copy';
      readonly from: string | undefined;
      readonly sources: readonly string[];
      readonly target: string;
      readonly folder: string;
    }
  | { readonly type: 'run'; readonly command: string; readonly folder: string };

/** What containers are started with. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string | undefined;
  readonly entrypoint: readonly string[] | undefined;
  readonly cmd: readonly string[] | undefined;
  readonly ports: readonly string[];
}

export interface Stage {
  readonly name: string | undefined;
  /** The base image. */
  readonly from: string;
  readonly steps: readonly Step[];
  readonly config: ImageConfig;
}

interface Draft {
  readonly name: string | undefined;
  readonly from: string;
  readonly steps: Step[];
  readonly env: Record<string, string>;
  readonly ports: string[];
  workdir: string;
  user: string | undefined;
  entrypoint: readonly string[] | undefined;
  cmd: readonly string[] | undefined;
}

interface Reading {
  /** ARGs before the first FROM. */
  readonly args: Record<string, string>;
  readonly given: Readonly<Record<string, string>>;
  readonly stages: Draft[];
}

/**
 * The stages of a Dockerfile, with ARGs replaced by what is given for them. Knows what our Dockerfiles use and refuses all
 * else by name, so that no image silently differs from what Docker makes of the same file.
 */
export function parseDockerfile(text: string, given: Readonly<Record<string, string>> = {}): Stage[] {
  const reading: Reading = { args: {}, given, stages: [] };
  for (const line of logicalLines(text)) {
    const [, word = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(line) ?? [];
    readInstruction(word.toUpperCase(), rest.trim(), reading);
  }
  if (reading.stages.length === 0) throw new Error('the Dockerfile has no FROM');
  return reading.stages.map(({ name, from, steps, ...config }) => ({ name, from, steps, config }));
}

/** Without comments, and with continued lines joined. */
function logicalLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function readInstruction(word: string, rest: string, reading: Reading): void {
  const stage = reading.stages.at(-1);
  if (word === 'FROM') reading.stages.push(startStage(rest, reading));
  else if (stage === undefined && word === 'ARG') readArg(rest, reading);
  else if (stage === undefined) throw refusal(word, rest, 'stands before FROM');
  else readStageLine(word, rest, stage);
}

function readArg(rest: string, { args, given }: Reading): void {
  const [, name = '', fallback = ''] = /^(\w+)(?:=(.*))?$/.exec(rest) ?? [];
  args[name] = given[name] ?? fallback;
}

function startStage(rest: string, { args }: Reading): Draft {
  const [, image = '', name] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? [];
  const from = image.replace(/\$\{(\w+)\}/g, (_, arg: string) => args[arg] ?? '');
  if (from === '') throw refusal('FROM', rest, 'names no image');
  const empty = { user: undefined, entrypoint: undefined, cmd: undefined };
  return { name, from, steps: [], env: {}, ports: [], workdir: '/', ...empty };
}

function readStageLine(word: string, rest: string, stage: Draft): void {
  if (word === 'COPY') stage.steps.push(copyStep(rest, stage.workdir));
  else if (word === 'RUN') stage.steps.push(runStep(rest, stage.workdir));
  else if (word === 'ENV') Object.assign(stage.env, variables(rest));
  else if (word === 'WORKDIR') stage.workdir = rest;
  else if (word === 'USER') stage.user = rest;
  else if (word === 'EXPOSE') stage.ports.push(...rest.split(/\s+/));
  else if (word === 'ENTRYPOINT') stage.entrypoint = argv(word, rest);
  else if (word === 'CMD') stage.cmd = argv(word, rest);
  else throw refusal(word, rest, 'is not known here');
}

function copyStep(rest: string, folder: string): Step {
  const words = rest.split(/\s+/);
  const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1];
  const paths = from === undefined ? words : words.slice(1);
  if (paths.length < 2 || paths.some((path) => /^--|[*?[\]"]/.test(path)))
    throw refusal('COPY', rest, 'has options or patterns that are not known here');
  return { type: 'copy', from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '', folder };
}

function runStep(command: string, folder: string): Step {
  if (/^(--|\[|<<)/.test(command)) throw refusal('RUN', command, 'is known in its shell form only');
  return { type: 'run', command, folder };
}

function variables(rest: string): Record<string, string> {
  const pairs = [...rest.matchAll(/(\w+)=("[^"]*"|\S*)/g)];
  if (rest.includes('$') || pairs.map(([pair]) => pair).join(' ') !== rest.replace(/\s+/g, ' '))
    throw refusal('ENV', rest, 'must be NAME=value, without references');
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.replace(/^"|"$/g, '')]));
}

function argv(word: string, rest: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(rest);
    if (Array.isArray(words) && words.every((part) => typeof part === 'string' && !part.includes(',')))
      return words;
  } catch {
    // Falls through to the refusal below.
  }
  throw refusal(word, rest, 'must be a JSON list of words without commas');
}

function refusal(word: string, rest: string, why: string): Error {
  return new Error(`Dockerfile: ${word} ${rest}: ${why}`);
}
