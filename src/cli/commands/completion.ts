import { Argument, type Command } from 'commander';
import type { Runner } from '../session.ts';
import { print } from '../world.ts';

/** `completion`: what a shell needs to know, made from the commands themselves. */
export function registerCompletion(program: Command, { world, run }: Runner): void {
  program
    .command('completion')
    .description('writes the completion of a shell: source <(sless completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(run(async (shell: 'bash' | 'zsh' | 'fish') => print(world, SCRIPTS[shell](wordsOf(program)))));
}

/** Of each command, by its words from the program on, what may come next. */
export type Words = ReadonlyMap<string, readonly string[]>;

export function wordsOf(program: Command): Words {
  const words = new Map<string, readonly string[]>();
  const visit = (command: Command, path: string): void => {
    const options = command.options.flatMap(({ long }) => long ?? []);
    words.set(path, [...command.commands.map((child) => child.name()), ...options]);
    for (const child of command.commands) visit(child, `${path} ${child.name()}`.trim());
  };
  visit(program, '');
  return words;
}

const bash = (words: Words): string => `_sless() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "$path $word" in
${[...words.keys()]
  .filter((path) => path !== '')
  .map((path) => `      "${path.includes(' ') ? '' : ' '}${path}") path="${path}" ;;`)
  .join('\n')}
    esac
  done
  local next=""
  case "$path" in
${[...words].map(([path, next]) => `    "${path}") next="${next.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sless sless`;

const SCRIPTS: Readonly<Record<'bash' | 'zsh' | 'fish', (words: Words) => string>> = {
  bash,
  zsh: (words) => `(( $+functions[compdef] )) || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
${bash(words)}`,
  fish: (words) =>
    [...words]
      .flatMap(([path, next]) => {
        const seen = path.split(' ').filter(Boolean);
        const inside =
          seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ') || '__fish_use_subcommand';
        return next.map((word) =>
          word.startsWith('--')
            ? `complete -c sless -n '${inside}' -l '${word.slice(2)}'`
            : `complete -c sless -f -n '${inside}' -a '${word}'`,
        );
      })
      .join('\n'),
};
