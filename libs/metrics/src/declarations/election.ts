/** Leader election, by client-go's name (controller-runtime, pkg/metrics/leaderelection.go). */
import type { MetricSet } from '../declaration.ts';

export const ELECTION = {
  masterStatus: {
    type: 'gauge',
    name: 'leader_election_master_status',
    labels: ['name'],
    help: 'Whether this process leads: 1, else 0. The name is that of the Lease.',
    unit: 'boolean',
    appears: 'Leader election is on (--leader-elect).',
  },
} as const satisfies MetricSet;
