/**
 * The projects, selected by the name of the spec file:
 *   x.spec.ts                   unit: pure, no cluster
 *   x.integration.spec.ts       on a real API server with simulated nodes
 *   x.integration-ci.spec.ts     the same, run by `.ci/run` but not by `npm test`
 *   x.integration-full.spec.ts  the same, too long for `npm test`
 *   x.e2e.spec.ts               on a real node (Linux and root)
 *   x.e2e-ci.spec.ts            the same, run by `.ci/run` but not by `npm test`
 *   x.e2e-full.spec.ts          the same, run by `npm run e2e:full` only
 *   x.full.spec.ts              starts its own clusters; run by `npm run e2e:full` only
 */
import { defineConfig } from 'vitest/config';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the root is not a project, and imports the set-up of its runs
import { FileOrder } from './tools/verify/src/file-order.ts';

const specs = (suffix: string) => ['apps', 'libs', 'tools'].map((folder) => `${folder}/**/*.${suffix}.ts`);
const notHere = ['**/node_modules/**', '**/dist/**'];
const onClusters = ['integration', 'integration-ci', 'integration-full', 'e2e', 'e2e-ci', 'e2e-full', 'full'].map(
  (project) => `**/*.${project}.spec.ts`,
);

/** Records the plans of operators and tests: docs/maintainers/replay.md. */
const recording = process.env['MUSTER_TEST_RECORD'] ? ['libs/recording/test-support/record-plans.ts'] : [];

const onCluster = (setup: string, limitMs: number) => ({
  exclude: notHere,
  globalSetup: `tools/verify/src/${setup}.ts`,
  setupFiles: ['tools/verify/src/cluster-env.ts', ...recording],
  testTimeout: limitMs,
  hookTimeout: limitMs,
  // On two cores four files, and within a file ten concurrent cases, keep both busy: tests on a cluster wait more than they compute.
  maxWorkers: 4,
  maxConcurrency: 10,
});
const onApiServer = onCluster('integration-cluster', 180_000);
const onRealNode = onCluster('real-node-cluster', 300_000);

export default defineConfig({
  test: {
    sequence: { sequencer: FileOrder },
    projects: [
      {
        test: {
          name: 'unit',
          include: specs('spec'),
          exclude: [...notHere, ...onClusters],
          setupFiles: recording,
          // Otherwise half of the CPU time is spent on loading the same modules for every file.
          isolate: false,
          // Vitest leaves one processor free; some tests wait for processes that they start.
          maxWorkers: 3,
          // Only ends tests that hang: on a busy machine a test may take many times as long.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      { test: { name: 'integration', include: specs('integration.spec'), ...onApiServer } },
      { test: { name: 'integration-ci', include: specs('integration-ci.spec'), ...onApiServer } },
      { test: { name: 'integration-full', include: specs('integration-full.spec'), ...onApiServer } },
      { test: { name: 'e2e', include: specs('e2e.spec'), ...onRealNode } },
      { test: { name: 'e2e-ci', include: specs('e2e-ci.spec'), ...onRealNode } },
      { test: { name: 'e2e-full', include: specs('e2e-full.spec'), ...onRealNode } },
      {
        test: {
          name: 'full',
          include: specs('full.spec'),
          exclude: notHere,
          testTimeout: 600_000,
          hookTimeout: 1_200_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
