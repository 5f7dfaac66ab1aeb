/** A suspended job has no pods, whatever its cleanPodPolicy (kubeflow/training-operator, common/job.go). */
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { Hold } from '../model/hold.ts';
import { frameworkOwnedResources } from '../owned-resources/as-owned.ts';
import { tallies } from '../replicas/job-replicas.ts';
import { unreportedInvalidObject } from '../policies/invalid-spec.ts';
import { mayStart } from '../gang/start-order.ts';
import { suspendedStatus } from '../policies/suspension.ts';
import { desiredWorkloads, planWithOwnedResources } from '../children/plan-children.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import { planRemovalOfAll } from '../children/plan-removal.ts';

export function decideSuspended(running: JobPlanContext, hold: Hold): Decision {
  // Workloads of a job with a hold are suspended.
  const context: JobPlanContext = { ...running, job: { ...running.job, hold } };
  const { adapter, job, world, gang } = context;
  const { clusterDomain } = context.settings;
  // Workloads are created suspended, because queues manage them.
  const pods = { network: undefined, clusterDomain, decorate: gang?.decorate };
  const none = tallies(job, []);
  const desired = [
    ...frameworkOwnedResources(adapter, job, [], world),
    ...desiredWorkloads(context, pods, (role) => mayStart(adapter, job, role, none)),
  ];
  return {
    ...NO_CHANGE,
    status: { before: job.status, after: suspendedStatus(adapter, job, world, hold) },
    events: unreportedInvalidObject(world),
    writes: [...planRemovalOfAll(context), ...planWithOwnedResources(context, desired, false)],
    requeueAfterMs: hold.requeueAfterMs,
  };
}
