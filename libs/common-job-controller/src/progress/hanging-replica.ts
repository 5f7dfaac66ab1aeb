/** Whose fault it is that a job makes no progress, by what is on record of it. */
import type { TrainingJob } from '../model/training-job.ts';
import { containerRestarts } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { markOf } from '../model/restart-records.ts';
import { tellingReplicas } from './progress-questions.ts';

/** Which pods tell, and which runs of their programs: what is on record of others says nothing of them. */
export function runsOf(telling: readonly ReplicaPod[]): string {
  const runs = telling.map(({ pod, role }) =>
    pod === undefined ? '' : `${pod.metadata?.uid}/${containerRestarts(pod, role.containerName)}`,
  );
  return markOf(runs.join());
}

/** The replica that is behind; where none is, the first of those that tell. Undefined while there is progress. */
export function hangingReplica({ status }: TrainingJob, replicas: readonly ReplicaPod[]): ReplicaPod | undefined {
  const { message, behind, pods } = status.progress ?? {};
  if (message === undefined) return undefined;
  const telling = tellingReplicas(replicas);
  if (runsOf(telling) !== pods) return undefined;
  return telling.find(({ role, index }) => role.name === behind?.role && index === behind.index) ?? telling[0];
}
