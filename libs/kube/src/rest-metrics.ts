/** What the client counts, on the registry that the process serves. */
import { REQUESTS, counter, histogram } from '@muster/metrics';
import type { Registry } from 'prom-client';

export interface RestMetrics {
  /** @param code HTTP status; 0 when there was no answer */
  observe(method: string, code: number, seconds: number): void;
}

/** Several clients may share a registry: they count into the same series, told apart by `host`. */
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
