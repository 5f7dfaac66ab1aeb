/** Kills and restarts single programs of a running cluster, for tests of their loss. Linux only. */
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';
import { readClusterState, type ClusterState } from './cluster-state.ts';
import { type ComponentCommand, startComponent } from './processes/component.ts';
import { isRunning, signalProcess, type ProcessIdentity } from './processes/process-identity.ts';
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
  const record = componentOf(stateOf(cluster), component);
  const command = commandOf(component, record);
  await stopProcesses(() => [record]);
  await meanwhile();
  startAgain(cluster, command);
}

const KEEP_POLL_MS = 1_000;

/**
 * Starts the components again when they end by themselves, as a kubelet does with static pods, until the signal. Throws a ClusterError if
 * the cluster has no such component.
 */
export async function keepRunning(
  cluster: string,
  components: readonly string[],
  signal: AbortSignal,
  onEnd: (component: string) => void,
): Promise<void> {
  const state = stateOf(cluster);
  const commands = components.map((component) => commandOf(component, componentOf(state, component)));
  while (!signal.aborted) {
    await sleep(KEEP_POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const current = stateOf(cluster);
    for (const command of commands) {
      if (isRunning(componentOf(current, command.name))) continue;
      onEnd(command.name);
      startAgain(cluster, command);
    }
  }
}

/** Of the running process. */
function commandOf(name: string, { pid }: ProcessIdentity): ComponentCommand {
  const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  return { name, file: readlinkSync(`/proc/${pid}/exe`), args };
}

function startAgain(cluster: string, command: ComponentCommand): void {
  // Read now: others may have been started meanwhile.
  const state = stateOf(cluster);
  state.components = state.components.filter(({ name }) => name !== command.name);
  startComponent(state, command);
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
