/** Watches and the caches that they fill. */
import type { MetricSet } from '../declaration.ts';

const RESTART_REASONS = {
  expired: 'The API server had forgotten the place where to resume (410), so everything was listed anew.',
  error: 'The connection broke, or the API server refused or failed.',
  stalled: 'Nothing was heard for longer than the limit, not even a bookmark.',
};

export const WATCHES = {
  restarts: {
    type: 'counter',
    name: 'muster_watch_restarts_total',
    labels: ['resource', 'reason'],
    help: 'How often a watch ended other than in its own time and was begun again; resource is plural.group.',
    unit: 'count',
    values: { reason: RESTART_REASONS },
  },
  objects: {
    type: 'gauge',
    name: 'muster_watch_objects',
    labels: ['resource'],
    help: 'Objects in the cache that a watch keeps; resource is plural.group.',
    unit: 'count',
  },
} as const satisfies MetricSet;
