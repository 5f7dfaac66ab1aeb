/** Requests to the API server, by client-go's names and labels (controller-runtime, pkg/metrics/client_go_adapter.go). */
import type { MetricSet } from '../declaration.ts';

export const REQUESTS = {
  total: {
    type: 'counter',
    name: 'rest_client_requests_total',
    labels: ['code', 'method', 'host'],
    help: 'Number of HTTP requests to the API server, by status code, method and host. The code is <error> if there was no response.',
    unit: 'count',
    appears: 'A request got a response or failed.',
  },
  duration: {
    type: 'histogram',
    name: 'rest_client_request_duration_seconds',
    labels: ['verb', 'host'],
    help: 'Time from sending a request to the API server to the headers of the response, by method and host.',
    unit: 'seconds',
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    appears: 'A request got a response or failed.',
  },
} as const satisfies MetricSet;
