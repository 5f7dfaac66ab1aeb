/**
 * What only Ray has, from KubeRay's metrics. Their label `namespace` is the object's where Prometheus honours labels and
 * the operator's where not, so these panels are of all namespaces.
 */
import { RAY } from '@muster/metrics';
import { valueOf } from '../promql/metric-query.ts';
import { lines, type PanelOf } from './panel.ts';
import { IN_CLUSTER } from './variables.ts';

export function rayPanels(): PanelOf[] {
  return [
    lines({
      title: 'RayClusters that are provisioned',
      description: 'Clusters of all namespaces whose pods have all been ready together (true), or not yet (false).',
      unit: 'short',
      width: 8,
      stacked: true,
      colours: { true: 'green', false: 'orange' },
      queries: [
        { vector: valueOf(RAY.clusterProvisioned, IN_CLUSTER).is(1).countBy('condition'), legend: '{{condition}}' },
      ],
    }),
    lines({
      title: 'How long provisioning took',
      description: 'The longest of the clusters that there are, in all namespaces.',
      unit: 's',
      width: 8,
      queries: [{ vector: valueOf(RAY.clusterProvisionedDuration, IN_CLUSTER).maxBy(), legend: 'longest' }],
    }),
    lines({
      title: 'RayJobs by how far they are',
      description: 'By their jobDeploymentStatus, in all namespaces.',
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
