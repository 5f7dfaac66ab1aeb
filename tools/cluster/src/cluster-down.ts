import { existsSync } from 'node:fs';
import { stateFolder } from './cache-folders.ts';
import { cleanCluster } from './clean-cluster.ts';
import { withClusterLock } from './cluster-lock.ts';
import { checkClusterName, DEFAULT_CLUSTER_NAME } from './cluster-name.ts';
import { type Progress, silentProgress } from './progress.ts';

export interface ClusterDownOptions {
  name?: string;
  progress?: Progress;
}

/**
 * Stops a cluster and removes everything of it from this machine except cached binaries. Resolves to false if there is no such cluster.
 * Safe to repeat after an interruption.
 */
export async function clusterDown({
  name = DEFAULT_CLUSTER_NAME,
  progress = silentProgress,
}: ClusterDownOptions = {}): Promise<boolean> {
  checkClusterName(name);
  return withClusterLock(name, progress, undefined, async () => {
    const existed = existsSync(stateFolder(name));
    if (existed) await progress.step(`Stopping cluster "${name}"`, () => cleanCluster(name, { keepLogs: false }));
    return existed;
  });
}
