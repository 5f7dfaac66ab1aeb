/** The jobs of a soak: one after the other at the same distance, each deleted by its user or its time to live soon after its end. */
import type { SeededRandom } from '@muster/fault-injection';
import { type LoadedJob, type LoadSettings, randomLoad } from '../load/random-load.ts';

/** Longer than most programs of the load, so that most jobs end before their user deletes them. */
const LIVES_MS = [15_000, 40_000] as const;

/** Every second job also has a time to live. Acts after the end of the load are left out: then all jobs are deleted. */
export function steadyLoad(random: SeededRandom, settings: LoadSettings): LoadedJob[] {
  const { forMs, jobs } = settings;
  return randomLoad(random, settings).map((job, index): LoadedJob => {
    const atMs = Math.round((index * forMs) / jobs);
    const lifeMs = random.whole(...LIVES_MS);
    // What users do keeps its share of the time, within the life of the job.
    const shareOf = (actMs: number) => (actMs - job.atMs) / Math.max(1, forMs - job.atMs);
    const acts = job.acts
      .filter(({ act }) => act.does !== 'delete')
      .map((act) => ({ ...act, atMs: Math.round(atMs + shareOf(act.atMs) * lifeMs) }));
    const ttlSecondsAfterFinished = random.whole(0, 5);
    const { shape } = job;
    const runPolicy = { ...shape.runPolicy, ...(index % 2 === 0 && { ttlSecondsAfterFinished }) };
    return {
      ...{ ...job, atMs, shape: { ...shape, runPolicy } },
      acts: [...acts, { atMs: atMs + lifeMs, act: { does: 'delete' } as const }].filter((act) => act.atMs <= forMs),
    };
  });
}
