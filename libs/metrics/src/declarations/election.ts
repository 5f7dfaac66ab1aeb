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
  leads: {
    type: 'gauge',
    name: 'muster_operator_leads',
    labels: ['kind', 'watched_namespace'],
    help:
      'Whether this process runs the jobs of a kind in a namespace: 1, else 0. The namespace is * for an operator that looks after all ' +
      'of them. More than one such process means that jobs are handled twice.',
    unit: 'boolean',
  },
} as const satisfies MetricSet;
