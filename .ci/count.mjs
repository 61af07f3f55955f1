// Adds up what the test runs reported and prints the closing line of a CI run. Arguments: folder of vitest's JSON reports, number of failed steps.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, failedSteps] = process.argv.slice(2);
const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
const sum = (field) => reports.reduce((total, report) => total + report[field], 0);
const passed = sum('numPassedTests');
const skipped = sum('numPendingTests') + sum('numTodoTests');
// A step can fail without a failed test (a type error, a suite that does not load): it still counts as a failure.
const failed = Math.max(sum('numFailedTests'), Number(failedSteps));
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
