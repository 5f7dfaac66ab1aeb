/** Leader election, by client-go's name (controller-runtime, pkg/metrics/leaderelection.go). */
import type { MetricSet } from '../declaration.ts';

export const ELECTION = {
  masterStatus: {
    type: 'gauge',
    name: 'leader_election_master_status',
    labels: ['name'],
    help: 'Whether this process is the leader: 1 or 0. The label name is the name of the Lease.',
    unit: 'boolean',
    appears: 'Leader election is on (--leader-elect).',
  },
  leads: {
    type: 'gauge',
    name: 'muster_operator_leads',
    labels: ['kind', 'watched_namespace'],
    help:
      'Whether this process reconciles the jobs of a kind in a namespace: 1 or 0. The namespace is * if the operator watches all ' +
      'namespaces. If more than one process has 1, jobs are reconciled twice.',
    unit: 'boolean',
  },
} as const satisfies MetricSet;
