/** The registry of one process: what Node says about itself, and which build of which operator this is. */
import { BUILD, gauge, LEFT_OUT } from '@muster/metrics';
import { Registry, collectDefaultMetrics } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };

export function processRegistry(framework: string): Registry {
  const registry = new Registry();
  // The default, 10 ms, wakes an idle process a hundred times a second, which is most of what it costs.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 500 });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  gauge(registry, BUILD.info).set({ version: packageJson.version, framework }, 1);
  return registry;
}
