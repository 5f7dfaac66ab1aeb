import type { TrainingJob } from '../model/training-job.ts';
import { containerRestarts } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { markOf } from '../model/restart-records.ts';
import { reportingReplicas } from './progress-probes.ts';

/** A mark of the pods and container runs that report. A record with another mark is outdated. */
export function runsOf(reporting: readonly ReplicaPod[]): string {
  const runs = reporting.map(({ pod, role }) =>
    pod === undefined ? '' : `${pod.metadata?.uid}/${containerRestarts(pod, role.containerName)}`,
  );
  return markOf(runs.join());
}

export function hangingReplica({ status }: TrainingJob, replicas: readonly ReplicaPod[]): ReplicaPod | undefined {
  const { message, behind, pods } = status.progress ?? {};
  if (message === undefined) return undefined;
  const reporting = reportingReplicas(replicas);
  if (runsOf(reporting) !== pods) return undefined;
  return reporting.find(({ role, index }) => role.name === behind?.role && index === behind.index) ?? reporting[0];
}
