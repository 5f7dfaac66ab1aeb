/**
 * Starts the cluster's long-running programs. They outlive the command that started them (own session, no pipes), write to one log file
 * each, and are recorded as soon as they run. Each has an environment variable with the cluster's state folder, as a marker for processes
 * that are not recorded: between start and record, and children of components.
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

/** Starts a component and adds it to the state file. Throws a ClusterError if the program cannot be started. */
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
  // Without a listener a failed start would crash this process; the missing pid below reports it.
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined)
    throw new ClusterError(`${command.file} cannot be started: check that it is an executable for this machine.`);
  // A program that ended at once has no identity any more: an impossible start time marks it as ended.
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
    `${ended.name} ended while the cluster was starting. Last lines of its log ${ended.log}:\n${logTail(ended.log)}`,
  );
}

function logTail(log: string): string {
  try {
    return lastLines(readFileSync(log, 'utf8'), 8);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return '(the log is empty)';
    throw error;
  }
}

/** All processes of this user that carry the marker of a state folder. Linux only: on other systems only recorded processes are found. */
export function findMarkedProcesses(folder: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.flatMap((pid) => (hasMarker(pid, folder) ? (identifyProcess(Number(pid)) ?? []) : []));
}

function hasMarker(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${MARKER}=${folder}`);
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
}
