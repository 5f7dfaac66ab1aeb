/**
 * The failure that Argo Workflows reads in a job, by the condition that its users write: `failureCondition:
 * status.replicaStatuses.Worker.failed > 0`, as in argoproj/argo-workflows, examples/k8s-resource-log-selector.yaml. It looks at each version
 * of the object, and the first hit ends the workflow.
 */
import type { ClientJob } from './client-job.ts';

export function failedRoles({ status = {} }: ClientJob): string[] {
  return Object.entries(status.replicaStatuses ?? {}).flatMap(([role, { failed = 0 }]) => (failed > 0 ? [role] : []));
}
