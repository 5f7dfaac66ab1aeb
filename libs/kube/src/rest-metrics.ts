import { REQUESTS, counter, histogram } from '@muster/metrics';
import type { Registry } from 'prom-client';

export interface RestMetrics {
  /** @param code HTTP status; 0 without an answer */
  observe(method: string, code: number, seconds: number): void;
}

/** Clients that share a registry share its metrics, with different `host` labels. */
export function createRestMetrics(registry: Registry | undefined, host: string): RestMetrics | undefined {
  if (registry === undefined) return undefined;
  const total = counter(registry, REQUESTS.total);
  const duration = histogram(registry, REQUESTS.duration);
  return {
    observe(method, code, seconds) {
      total.inc({ code: code === 0 ? '<error>' : String(code), method, host });
      duration.observe({ verb: method, host }, seconds);
    },
  };
}
