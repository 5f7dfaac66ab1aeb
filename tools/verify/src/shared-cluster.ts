/**
 * A cluster that all test files of a project share. Projects of one vitest run with the same cluster (`e2e` and `e2e-ci`) share it as well:
 * the first one brings it up, and takes it down after the last test of the run.
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

/** Vitest loads a set-up file anew for each project, so the clusters cannot be kept in a variable of the module. */
const CLUSTERS = Symbol.for('muster.test-clusters');

/** Brings the cluster up unless another project has; returns the teardown for the project that has. */
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
