/**
 * One holder at a time for a folder, across processes. A lock whose holder died is taken over, so a kill never leaves
 * anything locked. It is advisory: only callers of this function respect it.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';
import { identifyProcess, isErrorCode, isRunning, type ProcessIdentity } from './processes/process-identity.ts';

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once, when the lock is found taken. */
  onWait?: (holderPid: number) => void;
}

/** Runs the work while holding the lock file; waits for as long as another living process holds it. */
export async function withLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const own = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  writeOwn(own);
  try {
    let told = false;
    while (!tryLink(own, file)) {
      options.signal?.throwIfAborted();
      const holder = readHolder(file);
      if (holder === undefined) continue;
      if (!isRunning(holder)) takeAway(file, holder);
      else if (!told) {
        told = true;
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

/** The first thing that is ever written to the cache, so this is where a cache that is not ours shows. */
function writeOwn(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(identifyProcess(process.pid)));
  } catch (error) {
    if (!isErrorCode(error, 'EACCES') && !isErrorCode(error, 'EROFS')) throw error;
    throw new ClusterError(
      `${dirname(file)} cannot be written: give it back to yourself with chown, or set MUSTER_CACHE to another folder.`,
    );
  }
}

/** A hard link appears with its content, where a created file is empty for a moment. */
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
    // Released since we failed to take it.
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Two waiters may find the same dead holder: the rename lets one of them win, and a lock newly taken is put back. */
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
