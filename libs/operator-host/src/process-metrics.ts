import { BUILD, gauge, LEFT_OUT } from '@muster/metrics';
import { Registry, collectDefaultMetrics } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };

/** `EventLoopLag` measures instead: prom-client would wake an idle process a hundred times a second. */
const NEVER_MS = 2 ** 31 - 1;

export function processRegistry(framework: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  gauge(registry, BUILD.info).set({ version: packageJson.version, framework }, 1);
  return registry;
}
