import { loadScenario } from '../jobs/load-scenario.ts';

/** Thousands of running pods: time, and the operator's memory. */
export const scale = loadScenario({
  summary: '200 jobs (--size) of 25 pods at once, until all run',
  runs: 1,
  size: 200,
  load: (size) => ({ jobs: size, pods: 25 }),
  goals: { last: 1.2, peakMB: 170, kilobytesPerPod: 8 },
});
