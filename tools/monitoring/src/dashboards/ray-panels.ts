/**
 * Panels of KubeRay's metrics. Their label `namespace` is the object's if Prometheus honors labels, otherwise the operator's. So these
 * panels show all namespaces.
 */
import { RAY } from '@muster/metrics';
import { valueOf } from '../promql/metric-query.ts';
import { lines, type PanelOf } from './panel.ts';
import { IN_CLUSTER } from './variables.ts';

export function rayPanels(): PanelOf[] {
  return [
    lines({
      title: 'Provisioned RayClusters',
      description:
        'RayClusters in all namespaces whose pods have all been ready at the same time (true), or not yet (false).',
      unit: 'short',
      width: 8,
      stacked: true,
      colours: { true: 'green', false: 'orange' },
      queries: [
        { vector: valueOf(RAY.clusterProvisioned, IN_CLUSTER).is(1).countBy('condition'), legend: '{{condition}}' },
      ],
    }),
    lines({
      title: 'Provisioning duration',
      description: 'Longest provisioning of the existing RayClusters in all namespaces.',
      unit: 's',
      width: 8,
      queries: [{ vector: valueOf(RAY.clusterProvisionedDuration, IN_CLUSTER).maxBy(), legend: 'longest' }],
    }),
    lines({
      title: 'RayJobs by deployment status',
      description: 'RayJobs in all namespaces by jobDeploymentStatus.',
      unit: 'short',
      width: 8,
      stacked: true,
      queries: [
        {
          vector: valueOf(RAY.jobDeploymentStatus, IN_CLUSTER).countBy('deployment_status'),
          legend: '{{deployment_status}}',
        },
      ],
    }),
  ];
}
