/**
 * A cluster that all test files of a project share. Projects of one vitest run with the same cluster (`e2e` and `e2e-ci`) share it as well:
 * the first one starts it, and stops it after the last test of the run.
 */
import type { TestProject } from 'vitest/node';

/** Added to `process.env` of each test file (`cluster-env.ts`). */
export type ClusterEnv = Readonly<Record<string, string>>;

declare module 'vitest' {
  interface ProvidedContext {
    clusterEnv: ClusterEnv;
  }
}

export interface UpCluster {
  readonly env: ClusterEnv;
  down(): Promise<void>;
}

/** Vitest loads a setup file again for each project, so a variable of the module cannot hold the clusters. */
const CLUSTERS = Symbol.for('muster.test-clusters');

/** Starts the cluster unless another project has. Returns the teardown for the project that started it. */
export async function shareCluster(
  project: TestProject,
  name: string,
  bringUp: () => Promise<UpCluster>,
): Promise<(() => Promise<void>) | undefined> {
  const registry = globalThis as { [CLUSTERS]?: Map<string, UpCluster> };
  const clusters = (registry[CLUSTERS] ??= new Map());
  const shared = clusters.get(name);
  const cluster = shared ?? (await bringUp());
  clusters.set(name, cluster);
  project.provide('clusterEnv', cluster.env);
  return shared === undefined ? () => cluster.down() : undefined;
}
