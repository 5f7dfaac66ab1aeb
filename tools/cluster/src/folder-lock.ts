/**
 * A lock of a folder with one holder at a time, across processes. A lock whose holder has ended is taken over, so a kill never leaves a
 * lock. It is advisory: only callers of this function respect it.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';
import { identifyProcess, isErrorCode, isRunning, type ProcessIdentity } from './processes/process-identity.ts';

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once if the lock is held by another process. */
  onWait?: (holderPid: number) => void;
}

/** Runs the work while holding the lock file; waits as long as another running process holds it. */
export async function withLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const own = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  writeOwn(own);
  try {
    let reported = false;
    while (!tryLink(own, file)) {
      options.signal?.throwIfAborted();
      const holder = readHolder(file);
      if (holder === undefined) continue;
      if (!isRunning(holder)) takeAway(file, holder);
      else if (!reported) {
        reported = true;
        options.onWait?.(holder.pid);
      }
      await delay(100);
    }
  } finally {
    rmSync(own, { force: true });
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** The first write to the cache: a cache of another user fails here. */
function writeOwn(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(identifyProcess(process.pid)));
  } catch (error) {
    if (!isErrorCode(error, 'EACCES') && !isErrorCode(error, 'EROFS')) throw error;
    throw new ClusterError(
      `${dirname(file)} is not writable: change its owner with chown, or set MUSTER_CACHE to another folder.`,
    );
  }
}

/** A hard link appears with its content; a created file is empty for a moment. */
function tryLink(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (isErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch (error) {
    // Released since the attempt to acquire it.
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Two waiters may find the same ended holder: the rename lets one of them succeed, and a lock that was acquired meanwhile is restored. */
function takeAway(file: string, dead: ProcessIdentity): void {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return;
    throw error;
  }
  const taken = readHolder(aside);
  if (taken !== undefined && (taken.pid !== dead.pid || taken.startTime !== dead.startTime)) tryLink(aside, file);
  rmSync(aside, { force: true });
}
