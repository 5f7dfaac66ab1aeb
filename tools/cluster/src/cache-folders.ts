/**
 * The folder of everything that Muster builds and runs. The local cluster writes only below it, so removing it while no cluster is up
 * leaves nothing behind.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { KUBERNETES_VERSION } from './binaries/versions.ts';

/** The folder `muster` in `$MUSTER_CACHE`, `$XDG_CACHE_HOME` or `~/.cache` (the first that is set). */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['MUSTER_CACHE'] || env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'muster');
}

/** Binaries are stored per version of Kubernetes, so that an upgrade of Muster never mixes versions. */
export function binariesFolder(kubernetesVersion: string = KUBERNETES_VERSION, env?: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), kubernetesVersion, 'bin');
}

export function clustersFolder(env?: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), 'clusters');
}

export function stateFolder(name: string, env?: NodeJS.ProcessEnv): string {
  return join(clustersFolder(env), name);
}

/** The path of the administrator's kubeconfig; the file exists while the cluster is up. */
export function kubeconfigPath(name: string, env?: NodeJS.ProcessEnv): string {
  return join(stateFolder(name, env), 'kubeconfig');
}
