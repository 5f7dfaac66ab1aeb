import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError } from '../cluster-error.ts';
import { isRunning, type ProcessIdentity, signalProcess } from './process-identity.ts';

const LIMIT_MS = 15_000;

/**
 * Kills processes and returns when all are gone. There is no SIGTERM first: their data is deleted anyway. `find` is called again while
 * waiting, because a process that is ending may have started another.
 */
export async function stopProcesses(find: () => ProcessIdentity[]): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const left = find().filter(isRunning);
    if (left.length === 0) return;
    if (Date.now() > deadline) {
      const pids = left.map(({ pid }) => pid).join(', ');
      throw new ClusterError(
        `Processes ${pids} were killed but do not end: look for stuck disks or mounts, then run the same command again.`,
      );
    }
    for (const identity of left) signalProcess(identity, 'SIGKILL');
    await delay(20);
  }
}
