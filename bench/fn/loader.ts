/** Runs loads in a process of its own, one a line of input, and prints what came of each. */
import { createInterface } from 'node:readline';
import { runLoad } from './load.ts';

for await (const line of createInterface({ input: process.stdin })) {
  const { request, ...load } = JSON.parse(line);
  const result = await runLoad({ ...load, request: Buffer.from(request, 'base64') }).catch(
    (error: Error) => ({
      error: error.message,
    }),
  );
  console.log(JSON.stringify(result));
}
