import { loadScenario } from '../jobs/load-scenario.ts';

/** What a pod costs. */
export const wide = loadScenario({
  summary: 'one job of 2000 pods (--size), until all run',
  runs: 1,
  size: 2000,
  load: (size) => ({ jobs: 1, pods: size }),
  goals: { created: 1.25 },
});
