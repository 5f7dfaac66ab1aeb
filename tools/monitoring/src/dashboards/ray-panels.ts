/**
 * Panels of KubeRay's metrics, of RayCronJobs and of RayServices. KubeRay's label `namespace` is the object's if Prometheus honors labels, otherwise the operator's. So these
 * panels show all namespaces.
 */
import { RAY, RAY_CRON, RAY_SERVE } from '@muster/metrics';
import { secondsSince, valueOf } from '../promql/metric-query.ts';
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
    ...cronPanels(),
    ...servePanels(),
  ];
}

function cronPanels(): PanelOf[] {
  return [
    lines({
      title: 'Active runs of RayCronJobs',
      description: 'RayJobs that have not ended, by their RayCronJob, in all namespaces.',
      unit: 'short',
      width: 8,
      stacked: true,
      queries: [
        {
          vector: valueOf(RAY_CRON.activeRuns, IN_CLUSTER).maxBy('job_namespace', 'raycronjob'),
          legend: '{{job_namespace}}/{{raycronjob}}',
        },
      ],
    }),
    lines({
      title: 'Late runs of RayCronJobs',
      description:
        'For how long the next RayJob is due and not created. Causes: an earlier RayJob runs (concurrencyPolicy Forbid), ' +
        'a quota, an invalid change. "muster why" shows which.',
      unit: 's',
      width: 8,
      queries: [
        {
          vector: secondsSince(RAY_CRON.nextSchedule, IN_CLUSTER).maxBy('job_namespace', 'raycronjob').above(0),
          legend: '{{job_namespace}}/{{raycronjob}}',
        },
      ],
    }),
    lines({
      title: 'Time since the last success of RayCronJobs',
      description: 'How long ago a RayJob of each RayCronJob last succeeded. Without a line, none has succeeded.',
      unit: 's',
      width: 8,
      queries: [
        {
          vector: secondsSince(RAY_CRON.lastSuccess, IN_CLUSTER).maxBy('job_namespace', 'raycronjob'),
          legend: '{{job_namespace}}/{{raycronjob}}',
        },
      ],
    }),
  ];
}

function servePanels(): PanelOf[] {
  return [
    lines({
      title: 'Endpoints of RayServices',
      description:
        'Ready pods that get requests, by their RayService, in all namespaces. Without any, "muster why" shows the cause.',
      unit: 'short',
      width: 12,
      queries: [
        {
          vector: valueOf(RAY_SERVE.endpoints, IN_CLUSTER).maxBy('job_namespace', 'rayservice'),
          legend: '{{job_namespace}}/{{rayservice}}',
        },
      ],
    }),
    lines({
      title: 'Duration of upgrades of RayServices',
      description: 'For how long a RayService has an active and a pending cluster.',
      unit: 's',
      width: 12,
      queries: [
        {
          vector: secondsSince(RAY_SERVE.upgradeStart, IN_CLUSTER).maxBy('job_namespace', 'rayservice'),
          legend: '{{job_namespace}}/{{rayservice}}',
        },
      ],
    }),
  ];
}
