/** The scenarios by the names that the command line knows. */
import type { Scenario } from './scenario.ts';

export const SCENARIOS: Readonly<Record<string, () => Promise<Scenario>>> = {
  burst: async () => (await import('./scenarios/burst.ts')).burst,
  churn: async () => (await import('./scenarios/churn.ts')).churn,
  curve: async () => (await import('./scenarios/curve.ts')).curve,
  elastic: async () => (await import('./scenarios/elastic.ts')).elastic,
  idle: async () => (await import('./scenarios/idle.ts')).idle,
  kinds: async () => (await import('./scenarios/kinds.ts')).kinds,
  many: async () => (await import('./scenarios/many.ts')).many,
  'ray-clusters': async () => (await import('./scenarios/ray-clusters.ts')).rayClusters,
  restart: async () => (await import('./scenarios/restart.ts')).restart,
  running: async () => (await import('./scenarios/running.ts')).running,
  scale: async () => (await import('./scenarios/scale.ts')).scale,
  small: async () => (await import('./scenarios/small.ts')).small,
  storm: async () => (await import('./scenarios/storm.ts')).storm,
  suspend: async () => (await import('./scenarios/suspend.ts')).suspend,
  throttled: async () => (await import('./scenarios/throttled.ts')).throttled,
  wide: async () => (await import('./scenarios/wide.ts')).wide,
};
