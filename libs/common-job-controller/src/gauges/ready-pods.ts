import type { Pod } from '@muster/job-api';
import { controllerOf, isOfKind } from '../model/ownership.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { isReady, stateOf as stateOfPod } from '../pods/replica-pods.ts';
import { podsNamedFor, type SeenJob } from './seen-jobs.ts';

export function readyPods(
  job: SeenJob,
  { roles }: Pick<TrainingJob, 'roles'>,
): { readonly role: ReplicaRole; readonly ready: number }[] {
  const { labels } = job.kind.adapter;
  const byRole = Map.groupBy(
    podsNamedFor(job).filter((pod) => isOf(job, pod)),
    (pod) => labels.replicaOf(pod)?.role,
  );
  return roles.map((role) => {
    const pods = byRole.get(role.name.toLowerCase()) ?? [];
    const ready = pods.filter((pod) => stateOfPod(pod, role.containerName) === 'running' && isReady(pod));
    return { role, ready: ready.length };
  });
}

/** Excludes pods of an earlier job of this name. Pods of a Job or StatefulSet only have the job's labels. */
function isOf({ kind, manifest }: SeenJob, pod: Pod): boolean {
  const controller = controllerOf(pod);
  const isOfJob = controller !== undefined && isOfKind(controller, kind.adapter.resource);
  return !isOfJob || controller.uid === manifest.metadata?.uid;
}
