import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { World } from './world.ts';

/** Asks for a line on a terminal that is not shown while it is typed or pasted. */
export async function secretLine({ stdin, stderr }: World, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  // Only now does the terminal show nothing: whoever answers the question at once, as a program does, is not shown either.
  stderr.write(question);
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(''), ended]);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
