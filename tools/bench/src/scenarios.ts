/** The scenarios by their names on the command line. */
import type { Scenario } from './scenario.ts';

export const SCENARIOS: Readonly<Record<string, () => Promise<Scenario>>> = {
  burst: async () => (await import('./scenarios/burst.ts')).burst,
  churn: async () => (await import('./scenarios/churn.ts')).churn,
  elastic: async () => (await import('./scenarios/elastic.ts')).elastic,
  idle: async () => (await import('./scenarios/idle.ts')).idle,
  'ray-clusters': async () => (await import('./scenarios/ray-clusters.ts')).rayClusters,
  restart: async () => (await import('./scenarios/restart.ts')).restart,
  scale: async () => (await import('./scenarios/scale.ts')).scale,
  small: async () => (await import('./scenarios/small.ts')).small,
  storm: async () => (await import('./scenarios/storm.ts')).storm,
};
