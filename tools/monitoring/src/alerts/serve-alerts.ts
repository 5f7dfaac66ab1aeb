/** Alerts about RayServices. */
import { RAY_SERVE } from '@muster/metrics';
import { secondsSince, valueOf } from '../promql/metric-query.ts';
import { RELEASE_MATCHERS, THRESHOLD, type Alert } from './alert.ts';

/** The kind whose operator exports their metrics. */
export const RAY_SERVICE_KIND = 'RayService';

const OF_A_SERVICE = ['cluster', 'job_namespace', 'rayservice'] as const;

export function serveAlerts(): readonly Alert[] {
  return [
    {
      name: 'MusterRayServiceNotReady',
      expression: valueOf(RAY_SERVE.endpoints, RELEASE_MATCHERS)
        .maxBy(...OF_A_SERVICE)
        .is(0),
      for: '15m',
      severity: 'warning',
      needs: 'perJob',
      summary: 'A RayService has no pod that gets requests.',
      description:
        'RayService {{ $labels.job_namespace }}/{{ $labels.rayservice }} has had no pod that gets requests for 15 minutes. ' +
        '"muster why" shows the cause: a cluster that does not start, a refused config, an application that fails.',
    },
    {
      name: 'MusterRayServiceUpgradeSlow',
      expression: secondsSince(RAY_SERVE.upgradeStart, RELEASE_MATCHERS)
        .maxBy(...OF_A_SERVICE)
        .above(THRESHOLD),
      for: '1m',
      severity: 'warning',
      threshold: { value: 3600, meaning: 'Seconds that an upgrade may take.' },
      needs: 'perJob',
      summary: 'A RayService runs two clusters for a long time.',
      description:
        'The upgrade of RayService {{ $labels.job_namespace }}/{{ $labels.rayservice }} does not end, and the old cluster still gets ' +
        'requests. "muster why" shows what the new cluster waits for.',
    },
  ];
}
