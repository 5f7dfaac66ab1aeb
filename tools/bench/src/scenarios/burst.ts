import { loadScenario } from '../jobs/load-scenario.ts';

/** Many small jobs at once. */
export const burst = loadScenario({
  summary: '100 jobs (--size) of 10 pods at once, until all have succeeded',
  runs: 3,
  size: 100,
  load: (size) => ({ jobs: size, pods: 10, trainingMs: 1000 }),
  goals: { last: 1.25, statusWrites: 3, events: 3, services: 2 },
});
