import { loadScenario } from '../jobs/load-scenario.ts';

/** The cost of a job beside its pods. */
export const small = loadScenario({
  summary: '500 jobs (--size) of 2 pods at once, until all have succeeded',
  runs: 3,
  size: 500,
  load: (size) => ({ jobs: size, pods: 2, trainingMs: 1000 }),
  goals: { last: 1.5 },
});
