import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { runnableRuntimes } from '../../src/local/runnable.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { answersSuite } from './answers.ts';
import { prepareSubject } from './cases.ts';
import { contextSuite } from './context.ts';
import { endingSuite } from './ending.ts';
import { endingUnderLoadSuite } from './ending-under-load.ts';
import { eventsSuite } from './events.ts';
import { limitsSuite } from './limits.ts';
import { loadingSuite } from './loading.ts';
import { malformedSuite } from './malformed.ts';
import { onceSuite } from './once.ts';
import { searchPath } from './server.ts';
import { slowSenderSuite } from './slow-sender.ts';
import { streamsSuite } from './streams.ts';
import { wireSuite } from './wire-rules.ts';

// Runs over every folder of runtimes/. A language brings its fixtures, not a line of TypeScript.
const catalogue = loadRuntimes(join(import.meta.dirname, '../../runtimes'));
const { runtimes, missing } = await runnableRuntimes(catalogue, { PATH: searchPath() });

for (const { name, local } of missing) {
  console.warn(`SKIPPED: the conformance of ${name}: ${local.missing}`);
  test.skip(`${name}: ${local.missing}`);
}

for (const runtime of runtimes.values()) {
  describe(runtime.name, () => {
    const subject = prepareSubject(runtime, join(import.meta.dirname, 'fixtures'));
    afterAll(() => subject.remove());
    const slowSender = slowSenderSuite(subject);
    eventsSuite(subject);
    contextSuite(subject);
    answersSuite(subject);
    streamsSuite(subject);
    wireSuite(subject);
    malformedSuite(subject);
    limitsSuite(subject);
    endingSuite(subject);
    endingUnderLoadSuite(subject);
    loadingSuite(subject);
    onceSuite(subject);
    slowSender();
  });
}
