// Adds up what the test runs reported and prints the closing line of a CI run. Arguments: folder of the reports (vitest's JSON, and Go's JSON
// lines), number of failed steps.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, failedSteps] = process.argv.slice(2);
const reports = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  return name.endsWith('.jsonl') ? goReport(text) : JSON.parse(text);
});
const sum = (field) => reports.reduce((total, report) => total + report[field], 0);
const passed = sum('numPassedTests');
const skipped = sum('numPendingTests') + sum('numTodoTests');
// A step can fail without a failed test (a type error, a suite that does not load): it still counts as a failure.
const failed = Math.max(sum('numFailedTests'), Number(failedSteps));
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

/** The counts of `go test -json`, in vitest's words. A line without a test is about a package. */
function goReport(text) {
  const events = text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const count = (action) =>
    events.filter((event) => event.Test !== undefined && event.Action === action).length;
  return {
    numPassedTests: count('pass'),
    numFailedTests: count('fail'),
    numPendingTests: count('skip'),
    numTodoTests: 0,
  };
}
