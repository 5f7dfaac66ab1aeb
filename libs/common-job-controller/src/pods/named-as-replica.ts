import type { Pod } from '@muster/job-api';
import { uniqueNamesOf, isCreatedByMuster } from '../model/replica-identity.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { podNameOf } from '../model/pod-name.ts';

/** With any index: the pod may be left from a larger job of the same name. */
export function isNamedAsReplica({ labels }: Pick<FrameworkAdapter, 'labels'>, job: TrainingJob, pod: Pod): boolean {
  const { role: label, index } = labels.replicaOf(pod) ?? {};
  const role = job.roles.find(({ name }) => name.toLowerCase() === label);
  if (role === undefined || !isCreatedByMuster(role)) return false;
  if (uniqueNamesOf(role) !== undefined) return true;
  return index !== undefined && pod.metadata?.name === podNameOf(job, { role, index });
}
