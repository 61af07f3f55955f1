import { dispatcherPart } from './dispatcher/part.ts';
import { fnPart } from './fn/part.ts';
import { invocationsPart } from './invocations/part.ts';
import { linesOf, type Part } from './part.ts';

const PARTS: Readonly<Record<string, Part>> = {
  fn: fnPart,
  dispatcher: dispatcherPart,
  invocations: invocationsPart,
};

/** `npm run bench [part…] [-- --quick]`: prints one line a measure; ends with 1 when one misses its floor. */
async function main(args: readonly string[]): Promise<number> {
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
