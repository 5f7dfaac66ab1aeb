/** What a soak measures, and by how much a figure may differ between its first and its last third. */

/** A figure grows if it exceeds the first value by more than `least` and by more than this share of it. */
interface Limit {
  readonly unit: 'bytes' | 'count' | 'seconds' | 'share';
  readonly least: number;
  readonly share: number;
}

const MIB = 1024 * 1024;

/** For counts of what each job in progress has, and their number differs between samples. */
const IN_PROGRESS = 0.25;

export const FIGURES = {
  // The allocator keeps freed pages, so that memory follows the largest burst of jobs so far.
  'resident memory': { unit: 'bytes', least: 20 * MIB, share: 0.15 },
  // After a collection only caches, feedback for the optimizer and jobs in progress differ: by a few hundred KiB. A leak of 7 KiB for each closed
  // connection added 2.4 MiB in a soak of ten minutes.
  'heap after garbage collection': { unit: 'bytes', least: 1.5 * MIB, share: 0.05 },
  // Buffers of responses, which are freed late.
  'external memory': { unit: 'bytes', least: 8 * MIB, share: 0.5 },
  // Of one processor. On a busy machine the same work takes longer, because other processes evict its caches.
  'CPU time per second': { unit: 'share', least: 0.05, share: 0.5 },
  // Connections for requests in parallel are opened on demand, and kept for a while.
  'open files': { unit: 'count', least: 8, share: IN_PROGRESS },
  'open sockets': { unit: 'count', least: 8, share: IN_PROGRESS },
  'active handles': { unit: 'count', least: 6, share: IN_PROGRESS },
  // A job in progress has several: its next reconcile run, its deadline, its delays.
  'active timers': { unit: 'count', least: 10, share: IN_PROGRESS },
  'active resources': { unit: 'count', least: 15, share: IN_PROGRESS },
  // A counter of a rare event appears with its first event, with all of its buckets.
  'series of metrics': { unit: 'count', least: 100, share: 0.1 },
  'cached objects': { unit: 'count', least: 40, share: IN_PROGRESS },
  // At rest between the arrivals of jobs the queue is empty.
  'depth of the work queue': { unit: 'count', least: 10, share: 1 },
  // A busy machine delays a queue by some of its time slices.
  'wait in the work queue': { unit: 'seconds', least: 0.1, share: 1 },
  // From the creation of a job in etcd to the first status of it there: the watch, the queue, the reconcile run and its first write.
  'reaction to a new job': { unit: 'seconds', least: 0.5, share: 1 },
  // Jobs are random: the largest of the moment may have twice as many roles and conditions as another.
  'largest status of a job': { unit: 'bytes', least: 2048, share: 0.5 },
  'mean status of a job': { unit: 'bytes', least: 512, share: 0.25 },
  // Jobs arrive at a steady rate, and live for a limited time, but their sizes are random.
  jobs: { unit: 'count', least: 8, share: IN_PROGRESS },
  pods: { unit: 'count', least: 60, share: 0.5 },
  Services: { unit: 'count', least: 60, share: 0.5 },
  // They expire after a minute on this cluster.
  events: { unit: 'count', least: 300, share: 0.5 },
  // Of the nodes and of the leaders: their number is fixed.
  Leases: { unit: 'count', least: 0, share: 0 },
} as const satisfies Record<string, Limit>;

export type FigureName = keyof typeof FIGURES;
export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** How far a figure may be above its first value. */
export function limitOf(figure: FigureName, first: number): number {
  const { least, share } = FIGURES[figure];
  return Math.max(least, share * first);
}

export function inUnit(figure: FigureName, value: number): string {
  const { unit } = FIGURES[figure];
  if (unit === 'bytes') return value >= MIB ? `${(value / MIB).toFixed(1)} MiB` : `${Math.round(value)} bytes`;
  if (unit === 'seconds') return `${(value * 1000).toFixed(value < 0.01 ? 1 : 0)} ms`;
  return unit === 'share' ? `${(value * 100).toFixed(1)} %` : String(Math.round(value * 10) / 10);
}
