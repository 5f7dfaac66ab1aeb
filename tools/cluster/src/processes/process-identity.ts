/**
 * A process id alone does not identify a process, because the kernel reuses it. Together with the start time it does, so no other process
 * is ever mistaken for one of the cluster's.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ClusterError } from '../cluster-error.ts';

export interface ProcessIdentity {
  pid: number;
  /** Compared for equality only: clock ticks since boot on Linux, a date elsewhere. */
  startTime: string;
}

/** The identity of a running process; undefined if there is none, or only a zombie that its parent has not reaped. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startTime = process.platform === 'linux' ? linuxStartTime(pid) : psStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startTime === identity.startTime;
}

/** Sends a signal if the process is still the identified one. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    // It ended between the check and the signal.
    if (isErrorCode(error, 'ESRCH')) return;
    if (isErrorCode(error, 'EPERM')) {
      throw new ClusterError(`Process ${identity.pid} belongs to another user: run the command again with "sudo -E".`);
    }
    throw error;
  }
}

/** Parses `/proc/<pid>/stat`. The second field is free text in parentheses, so the other fields are counted from its end. */
export function parseProcStat(stat: string): { state: string; startTime: string } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return state === undefined || startTime === undefined ? undefined : { state, startTime };
}

export function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function linuxStartTime(pid: number): string | undefined {
  try {
    const parsed = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return parsed === undefined || parsed.state === 'Z' || parsed.state === 'X' ? undefined : parsed.startTime;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT') || isErrorCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

function psStartTime(pid: number): string | undefined {
  try {
    const output = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = 'Z', ...started] = output.split(/\s+/);
    return state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    // ps exits 1 if there is no such process.
    return undefined;
  }
}
