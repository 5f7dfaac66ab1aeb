/**
 * Six projects, told apart by the name of the spec file:
 *   x.spec.ts                   unit: pure, no cluster
 *   x.integration.spec.ts       on a real API server (global setup brings up a cluster with simulated nodes)
 *   x.integration-full.spec.ts  the same for what takes minutes, not part of `npm test`
 *   x.e2e.spec.ts               on a real node (global setup brings up a cluster with a real node; Linux and root)
 *   x.e2e-full.spec.ts          the same for what takes minutes, not part of `npm test`
 *   x.full.spec.ts              the longer matrix, not part of `npm test`: brings up what it needs by itself
 */
import { defineConfig } from 'vitest/config';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the root is no project, and imports what it runs
import { LongFilesFirst } from './tools/verify/src/long-files-first.ts';

const specs = (suffix: string) => ['apps', 'libs', 'tools'].map((folder) => `${folder}/**/*.${suffix}.ts`);
const notHere = ['**/node_modules/**', '**/dist/**'];
const onClusters = ['integration', 'integration-full', 'e2e', 'e2e-full', 'full'].map(
  (project) => `**/*.${project}.spec.ts`,
);

const onApiServer = {
  exclude: notHere,
  globalSetup: 'tools/verify/src/integration-cluster.ts',
  testTimeout: 180_000,
  hookTimeout: 180_000,
  maxWorkers: 2,
};

const onRealNode = {
  exclude: notHere,
  globalSetup: 'tools/verify/src/real-node-cluster.ts',
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Jobs spend much of their time waiting for pods to start and for epochs to pass.
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: specs('spec'),
          exclude: [...notHere, ...onClusters],
        },
      },
      { test: { name: 'integration', include: specs('integration.spec'), ...onApiServer } },
      { test: { name: 'integration-full', include: specs('integration-full.spec'), ...onApiServer } },
      { test: { name: 'e2e', include: specs('e2e.spec'), ...onRealNode } },
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
