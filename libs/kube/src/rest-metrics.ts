/** The client's metrics, by client-go's names, on the registry that the process serves. */
import { Counter, Histogram, type Registry } from 'prom-client';

export interface RestMetrics {
  /** @param code HTTP status; 0 when there was no answer */
  observe(method: string, code: number, seconds: number): void;
}

const REQUESTS = 'rest_client_requests_total';
const DURATION = 'rest_client_request_duration_seconds';

/** Several clients may share a registry: they count into the same series, told apart by `host`. */
export function createRestMetrics(registry: Registry | undefined, host: string): RestMetrics | undefined {
  if (registry === undefined) return undefined;
  const requests =
    (registry.getSingleMetric(REQUESTS) as Counter<'code' | 'method' | 'host'> | undefined) ??
    new Counter({
      name: REQUESTS,
      help: 'Number of HTTP requests to the API server, by status code, method and host.',
      labelNames: ['code', 'method', 'host'],
      registers: [registry],
    });
  const duration =
    (registry.getSingleMetric(DURATION) as Histogram<'verb' | 'host'> | undefined) ??
    new Histogram({
      name: DURATION,
      help: 'Time from sending a request to the API server to the head of its answer, by method and host.',
      labelNames: ['verb', 'host'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
      registers: [registry],
    });
  return {
    observe(method, code, seconds) {
      requests.inc({ code: code === 0 ? '<error>' : String(code), method, host });
      duration.observe({ verb: method, host }, seconds);
    },
  };
}
