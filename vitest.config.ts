import { defineConfig } from 'vitest/config';

/** Where CI wants the counts, as JSON. */
const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/cluster/**', 'node_modules/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
