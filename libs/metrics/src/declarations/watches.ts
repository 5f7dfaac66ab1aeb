/** Watches and their caches. */
import type { MetricSet } from '../declaration.ts';

const RESTART_REASONS = {
  expired: 'The API server no longer has the resource version to resume from (410), so all objects are listed again.',
  error: 'The connection broke, or the API server rejected the watch or failed.',
  stalled: 'Nothing was received for longer than the limit, not even a bookmark.',
};

export const WATCHES = {
  restarts: {
    type: 'counter',
    name: 'muster_watch_restarts_total',
    labels: ['resource', 'reason'],
    help: 'Watches that ended before their timeout and were restarted; resource is plural.group.',
    unit: 'count',
    values: { reason: RESTART_REASONS },
  },
  objects: {
    type: 'gauge',
    name: 'muster_watch_objects',
    labels: ['resource'],
    help: 'Objects in the cache of a watch; resource is plural.group.',
    unit: 'count',
  },
} as const satisfies MetricSet;
