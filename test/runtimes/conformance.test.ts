import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { answersSuite } from './answers.ts';
import { missing, prepareSubject } from './cases.ts';
import { contextSuite } from './context.ts';
import { endingSuite } from './ending.ts';
import { eventsSuite } from './events.ts';
import { limitsSuite } from './limits.ts';
import { loadingSuite } from './loading.ts';
import { malformedSuite } from './malformed.ts';
import { onceSuite } from './once.ts';
import { slowSenderSuite } from './slow-sender.ts';
import { streamsSuite } from './streams.ts';
import { wireSuite } from './wire-rules.ts';

// Runs over every folder of runtimes/. A language brings its fixtures, not a line of TypeScript.
const runtimes = loadRuntimes(join(import.meta.dirname, '../../runtimes'));

for (const runtime of runtimes.values()) {
  const reason = missing(runtime.local.probe);
  if (reason !== undefined) {
    console.warn(`SKIPPED: the conformance of ${runtime.name}: ${runtime.local.missing} (${reason})`);
    test.skip(`${runtime.name}: ${runtime.local.missing}`);
    continue;
  }
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
    loadingSuite(subject);
    onceSuite(subject);
    slowSender();
  });
}
