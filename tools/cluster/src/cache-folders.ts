/**
 * Where Muster keeps what it builds and runs. Everything the embedded cluster writes lies below one folder, so that
 * removing that folder (with no cluster up) leaves nothing behind.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { KUBERNETES_VERSION } from './binaries/versions.ts';

/** `$MUSTER_CACHE`, `$XDG_CACHE_HOME` or `~/.cache` (the first that is set), and in it `muster`. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['MUSTER_CACHE'] || env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'muster');
}

/** Binaries are kept per Kubernetes version, so that an upgrade of Muster never runs a mixture. */
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
