import { dispatcherPart } from './dispatcher/part.ts';
import { fnPart } from './fn/part.ts';
import { invocationsPart } from './invocations/part.ts';
import { linesOf, type Part } from './part.ts';

const PARTS: Readonly<Record<string, Part>> = {
  fn: fnPart,
  dispatcher: dispatcherPart,
  invocations: invocationsPart,
};

const HELP = `npm run bench [part…] [-- --quick]

Measures what the hot paths cost beside a peer that does the same bare. Without a part, all of them: ${Object.keys(PARTS).join(', ')}.
--quick has fewer and shorter rounds: a check, not a figure.

A line a measure: bench fn.small_post ratio=0.37 of=direct floor=0.33 spread=4% ok
ratio   how many times cheaper than the peer ours is, the median of the rounds: 1 costs the same, 0.5 twice as much
of      the peer            floor   below it the line ends with MISS, and the run with status 1 (0: only shown)
spread  between the best and the worst round, in percent of the median
Lines that begin with # are notes, and what was left out and why.`;

/** `npm run bench [part…] [-- --quick]`: prints one line a measure; ends with 1 when one misses its floor. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return 0;
  }
  const unknownOption = args.find((arg) => arg.startsWith('-') && arg !== '--quick');
  if (unknownOption !== undefined) {
    console.error(`unknown option ${unknownOption}\n\n${HELP}`);
    return 2;
  }
  const quick = args.includes('--quick');
  const named = args.filter((arg) => !arg.startsWith('--'));
  const unknown = named.filter((name) => !(name in PARTS));
  if (unknown.length > 0) {
    console.error(`unknown part ${unknown.join(', ')}; there are: ${Object.keys(PARTS).join(', ')}`);
    return 2;
  }
  let missed = 0;
  for (const [name, part] of Object.entries(PARTS)) {
    if (named.length > 0 && !named.includes(name)) continue;
    for await (const measure of part({ quick, say: (line) => console.log(`# ${line}`) })) {
      const { lines, ok } = linesOf(name, measure);
      console.log(lines.join('\n'));
      if (!ok) missed += 1;
    }
  }
  return missed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
