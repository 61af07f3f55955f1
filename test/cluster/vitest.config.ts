import { defineConfig } from 'vitest/config';

// `npm run test:cluster`: against the cluster of KUBECONFIG. One file at a time, since they share it.
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
