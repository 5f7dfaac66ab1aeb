/** Kills and restarts single programs of a running cluster, for tests of their loss. Linux only. */
import { readFileSync, readlinkSync } from 'node:fs';
import { ClusterError } from './cluster-error.ts';
import { readClusterState, type ClusterState } from './cluster-state.ts';
import { startComponent } from './processes/component.ts';
import { signalProcess, type ProcessIdentity } from './processes/process-identity.ts';
import { stopProcesses } from './processes/stop-processes.ts';

/**
 * Sends a signal to a component, such as `kube-apiserver`. Throws a ClusterError if the cluster has no such component. A stopped component
 * (`SIGSTOP`) is not an ended one: the caller has to continue it.
 */
export function signalComponent(cluster: string, component: string, signal: NodeJS.Signals): void {
  signalProcess(componentOf(stateOf(cluster), component), signal);
}

/**
 * Kills a component, waits until it has ended and `meanwhile` has resolved, and starts it again with the same arguments. Resolves when the
 * new process is started, which may be before it is ready.
 */
export async function restartComponent(
  cluster: string,
  component: string,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const state = stateOf(cluster);
  const record = componentOf(state, component);
  const file = readlinkSync(`/proc/${record.pid}/exe`);
  const [, ...args] = readFileSync(`/proc/${record.pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  await stopProcesses(() => [record]);
  await meanwhile();
  state.components = state.components.filter(({ name }) => name !== component);
  startComponent(state, { name: component, file, args });
}

function stateOf(cluster: string): ClusterState {
  const state = readClusterState(cluster);
  if (state === undefined || state === 'damaged') throw new ClusterError(`Cluster "${cluster}" is not running.`);
  return state;
}

function componentOf({ name: cluster, components }: ClusterState, component: string): ProcessIdentity {
  const record = components.find(({ name }) => name === component);
  if (record === undefined) throw new ClusterError(`Cluster "${cluster}" has no ${component}.`);
  return record;
}
