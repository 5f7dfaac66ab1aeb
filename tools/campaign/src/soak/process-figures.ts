/** The figures of an operator process, read from the outside: its files, its metrics, and its heap through Node's inspector. */
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningProcess } from '../run/operator-replica.ts';
import type { Figures } from './figures.ts';
import { lineCount, sumOf } from './metrics-text.ts';

/** Since the start of the process: a sample has their growth since the sample before. */
export interface Totals {
  readonly atMs: number;
  readonly cpuSeconds: number;
  readonly waits: number;
  readonly waitSeconds: number;
}

export interface ProcessReading {
  readonly isLeader: boolean;
  readonly figures: Figures;
  readonly totals: Totals;
}

const READING_LIMIT_MS = 30_000;

/** @param before of the same process; without it, what needs two readings is left out */
export async function readProcess({ pid, url, inspector }: RunningProcess, before?: Totals): Promise<ProcessReading> {
  const files = await openFiles(pid);
  const heap = await heapAfterCollection(inspector);
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(READING_LIMIT_MS) });
  const text = await answer.text();
  const atMs = performance.now();
  const totals: Totals = {
    ...{ atMs, cpuSeconds: sumOf(text, 'process_cpu_seconds_total') },
    waits: sumOf(text, 'workqueue_queue_duration_seconds_count'),
    waitSeconds: sumOf(text, 'workqueue_queue_duration_seconds_sum'),
  };
  return {
    ...{ isLeader: sumOf(text, 'leader_election_master_status') > 0, totals },
    figures: {
      ...{ 'resident memory': sumOf(text, 'process_resident_memory_bytes'), 'heap after garbage collection': heap },
      'external memory': sumOf(text, 'nodejs_external_memory_bytes'),
      'open files': files.length,
      'open sockets': files.filter((target) => target.startsWith('socket:')).length,
      'active handles': sumOf(text, 'nodejs_active_handles'),
      'active timers': sumOf(text, 'nodejs_active_resources', { type: 'Timeout' }),
      'active resources': sumOf(text, 'nodejs_active_resources'),
      'series of metrics': lineCount(text),
      'cached objects': sumOf(text, 'muster_watch_objects'),
      'depth of the work queue': sumOf(text, 'workqueue_depth'),
      ...(before && sinceOf(before, totals)),
    },
  };
}

function sinceOf(before: Totals, now: Totals): Figures {
  const waits = now.waits - before.waits;
  return {
    'CPU time per second': ((now.cpuSeconds - before.cpuSeconds) * 1000) / (now.atMs - before.atMs),
    ...(waits > 0 && { 'wait in the work queue': (now.waitSeconds - before.waitSeconds) / waits }),
  };
}

async function openFiles(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder);
  // A file may be closed in between.
  const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => undefined)));
  return targets.filter((target) => target !== undefined);
}

/** In bytes. */
async function heapAfterCollection(inspector: string): Promise<number> {
  const socket = new WebSocket(inspector);
  const signal = AbortSignal.timeout(READING_LIMIT_MS);
  const ask = async (method: string): Promise<{ readonly usedSize?: number }> => {
    const answer = once(socket, 'message', { signal });
    socket.send(JSON.stringify({ id: 1, method }));
    const [{ data }] = (await answer) as [{ readonly data: string }];
    return (JSON.parse(data) as { result: object }).result;
  };
  try {
    await once(socket, 'open', { signal });
    await ask('HeapProfiler.collectGarbage');
    return (await ask('Runtime.getHeapUsage')).usedSize ?? NaN;
  } finally {
    socket.close();
  }
}
