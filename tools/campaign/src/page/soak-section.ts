/** The part of the page about soaks. */
import { inUnit } from '../soak/figures.ts';
import { type Comparison, nearestToLimit } from '../soak/growth.ts';
import { soakFailures } from '../soak/report.ts';
import type { SoakResult } from '../soak/run-soak.ts';
import { table } from './table.ts';

/** A soak, without its samples. */
export interface PageSoak extends Pick<SoakResult, 'seed' | 'minutes' | 'frameworks' | 'kubernetesVersion' | 'jobs'> {
  readonly day: string;
  readonly commit: string;
  /** Of each figure the process that is nearest to its limit. */
  readonly figures: readonly Comparison[];
  readonly failures: number;
}

export interface PageSoaks {
  /** Absent before the first. */
  readonly soaks?: readonly PageSoak[];
}

/** A later soak of the same seed, kinds and length replaces an earlier one. */
export function withSoak(
  { soaks = [] }: PageSoaks,
  result: SoakResult,
  { day, commit }: Pick<PageSoak, 'day' | 'commit'>,
): PageSoaks {
  const { seed, minutes, frameworks, kubernetesVersion, jobs, comparisons } = result;
  const soak: PageSoak = {
    ...{ day, commit, seed, minutes, frameworks, kubernetesVersion, jobs },
    ...{ figures: nearestToLimit(comparisons), failures: soakFailures(result).length },
  };
  const keyOf = (each: PageSoak) => JSON.stringify([each.seed, each.minutes, each.frameworks]);
  return { soaks: [...soaks.filter((other) => keyOf(other) !== keyOf(soak)), soak] };
}

export function soakSection(soaks: readonly PageSoak[]): string {
  const rows = soaks.map(({ day, commit, seed, minutes, frameworks, kubernetesVersion, jobs, failures }) => [
    ...[day, commit, seed, minutes, frameworks.join(', '), kubernetesVersion, jobs, failures],
  ]);
  const figures = soaks.at(-1)?.figures ?? [];
  return `## Soak

\`npm run soak -- --hours 8 --page\` creates jobs at a steady rate without faults. They run for seconds, succeed or fail, and are deleted by their time to
live or by their user. Every ten seconds each operator process and the API server are read from the outside; the heap is read after a garbage collection.
Nothing may grow with the number of jobs that have come and gone: after a warm-up, the median of the last third of a figure may exceed that of
the first third only by the limit of the figure. At the end no object of a deleted job may be left, and no process may have ended by itself.

${table(['day', 'commit', 'seed', 'minutes', 'frameworks', 'Kubernetes', 'jobs', 'failures'], rows)}

The figures of the last soak, each of the process that was nearest to its limit:

${table(
  ['figure', 'of', 'first third', 'last third', 'at most'],
  figures.map(({ figure, of, first, last, limit }) => [
    ...[figure, of, ...[first, last, first + limit].map((value) => inUnit(figure, value))],
  ]),
)}
`;
}
