/**
 * Starts the cluster's long-running programs. They outlive the command that started them (own session, no pipes), write
 * to one log file each, and are on record the moment they run. For the moment between the start and the record, and for
 * whatever a component starts in turn, each carries a marker in its environment that names the cluster's state folder.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder } from '../cache-folders.ts';
import { ClusterError } from '../cluster-error.ts';
import { type ClusterState, type ComponentRecord, writeClusterState } from '../cluster-state.ts';
import { lastLines } from '../run-command.ts';
import { systemPath } from '../system-path.ts';
import { identifyProcess, isErrorCode, isRunning, type ProcessIdentity } from './process-identity.ts';

const MARKER = 'MUSTER_CLUSTER';

export interface ComponentCommand {
  name: string;
  file: string;
  args: readonly string[];
}

/** Starts a component and adds it to the state file. Throws a ClusterError when the program cannot be started at all. */
export function startComponent(state: ClusterState, command: ComponentCommand): ComponentRecord {
  const folder = stateFolder(state.name);
  const log = join(folder, 'log', `${command.name}.log`);
  mkdirSync(join(folder, 'log'), { recursive: true });
  const output = openSync(log, 'a');
  const child = spawn(command.file, command.args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, PATH: systemPath(), [MARKER]: folder },
  });
  closeSync(output);
  // Without a listener a failed start would crash this process; the missing pid below tells it already.
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined)
    throw new ClusterError(`${command.file} cannot be started: check that it is an executable for this machine.`);
  // A program that ended at once has no identity any more: an impossible start time makes it count as ended.
  const identity = identifyProcess(child.pid) ?? { pid: child.pid, startTime: 'ended' };
  const record = { name: command.name, ...identity, log };
  state.components.push(record);
  writeClusterState(state);
  return record;
}

/** Throws a ClusterError with the last lines of its log if a component has ended. */
export function checkRunning(components: readonly ComponentRecord[]): void {
  const ended = components.find((component) => !isRunning(component));
  if (ended === undefined) return;
  throw new ClusterError(
    `${ended.name} ended while the cluster was starting; see ${ended.log}, which closes with:\n${logTail(ended.log)}`,
  );
}

function logTail(log: string): string {
  try {
    return lastLines(readFileSync(log, 'utf8'), 8);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return '(no log was written)';
    throw error;
  }
}

/** All processes of this user that carry the marker of a state folder. Linux only: elsewhere the records must do. */
export function findMarkedProcesses(folder: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.flatMap((pid) => (hasMarker(pid, folder) ? (identifyProcess(Number(pid)) ?? []) : []));
}

function hasMarker(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${MARKER}=${folder}`);
  } catch {
    // Gone since the listing, or another user's: neither is ours.
    return false;
  }
}
