/**
 * The failure that Argo Workflows detects by `failureCondition: status.replicaStatuses.Worker.failed > 0`, as in
 * argoproj/argo-workflows, examples/k8s-resource-log-selector.yaml. The first version of the object that matches ends
 * the workflow.
 */
import type { ClientJob } from './client-job.ts';

export function failedRoles({ status = {} }: ClientJob): string[] {
  return Object.entries(status.replicaStatuses ?? {}).flatMap(([role, { failed = 0 }]) => (failed > 0 ? [role] : []));
}
