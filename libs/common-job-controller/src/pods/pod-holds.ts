import type { Pod } from '@muster/job-api';
import { holdsOf, type Hold } from '@muster/time-accounts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';

/** How long the pods had their nodes. Cached pods have no requests, so these are those of the roles. */
export function podHolds({ labels }: FrameworkAdapter, { roles }: TrainingJob, pods: readonly Pod[]): Hold[] {
  const templates = new Map(roles.map(({ name, template }) => [name.toLowerCase(), template]));
  return holdsOf(pods, (pod) => templates.get(labels.replicaOf(pod)?.role ?? ''));
}
