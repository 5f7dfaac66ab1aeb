import { readFileSync } from 'node:fs';
import { type Cluster, clusterFromState } from './cluster.ts';
import { type ClusterState, listClusterNames, readClusterState } from './cluster-state.ts';
import { ApiServerClient } from './control-plane/api-server-client.ts';
import { isErrorCode, isRunning } from './processes/process-identity.ts';

export interface ComponentStatus {
  name: string;
  pid: number;
  running: boolean;
  log: string;
}

/**
 * `running`: every component runs and the API server is ready. `degraded`: something is missing, or a start was interrupted; `cluster up`
 * recreates the cluster. `absent`: there is no cluster, or only the logs of a failed start.
 */
export interface ClusterStatus {
  name: string;
  state: 'running' | 'degraded' | 'absent';
  /** If `degraded`: what is missing, as one sentence. */
  reason?: string;
  cluster?: Cluster;
  components: ComponentStatus[];
}

export async function clusterStatus({ name }: { name: string }): Promise<ClusterStatus> {
  const state = readClusterState(name);
  if (state === undefined) return { name, state: 'absent', components: [] };
  if (state === 'damaged') return { name, state: 'degraded', reason: 'Its state file cannot be read.', components: [] };
  const components = state.components.map((component) => ({
    name: component.name,
    pid: component.pid,
    running: isRunning(component),
    log: component.log,
  }));
  const reason = await findFault(state, components);
  const status = { name, cluster: clusterFromState(state), components };
  return reason === undefined ? { ...status, state: 'running' } : { ...status, state: 'degraded', reason };
}

/** The status of every cluster that is running or degraded. */
export async function listClusters(): Promise<ClusterStatus[]> {
  const all = await Promise.all(listClusterNames().map((name) => clusterStatus({ name })));
  return all.filter(({ state }) => state !== 'absent');
}

async function findFault(state: ClusterState, components: ComponentStatus[]): Promise<string | undefined> {
  const ended = components.filter(({ running }) => !running).map(({ name }) => name);
  if (ended.length > 0) return `Not running: ${ended.join(', ')}.`;
  if (state.phase !== 'ready') return 'Its start was not finished.';
  return (await isApiServerReady(clusterFromState(state).kubeconfig)) ? undefined : 'The API server is not ready.';
}

async function isApiServerReady(kubeconfig: string): Promise<boolean> {
  try {
    readFileSync(kubeconfig);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
  const client = new ApiServerClient(kubeconfig);
  try {
    return await client.isReady();
  } finally {
    await client.close();
  }
}
