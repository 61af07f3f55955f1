import { defineConfig } from 'vitest/config';

/** Where CI wants the counts, as JSON. */
const report = process.env.TEST_REPORT;

// `npm run test:cluster`: against the cluster of KUBECONFIG. One file at a time, since they share it.
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
