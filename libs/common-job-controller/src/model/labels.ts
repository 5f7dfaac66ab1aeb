/** The labels by which a job's children are found again. */
import { JOB_ROLE_MASTER, LABELS } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { Replica, ReplicaRole, TrainingJob } from './training-job.ts';

type Labels = Record<string, string>;

/** On everything that belongs to the job. */
export function jobLabels(adapter: FrameworkAdapter, job: Pick<TrainingJob, 'metadata'>): Labels {
  return { [LABELS.jobName]: job.metadata.name, [LABELS.operatorName]: adapter.operatorName };
}

function roleLabels(adapter: FrameworkAdapter, job: Pick<TrainingJob, 'metadata'>, role: ReplicaRole): Labels {
  return { ...jobLabels(adapter, job), [LABELS.replicaType]: role.name.toLowerCase() };
}

/** What the labels of all pods of the role have in common. */
export function labelsOfPods(adapter: FrameworkAdapter, job: TrainingJob, role: ReplicaRole): Labels {
  if (adapter.podLabels === undefined) return roleLabels(adapter, job, role);
  const [first, second] = [adapter.podLabels(job, { role, index: 0 }), adapter.podLabels(job, { role, index: 1 })];
  return Object.fromEntries(Object.entries(first).filter(([key, value]) => second[key] === value));
}

export function replicaLabels(adapter: FrameworkAdapter, job: Pick<TrainingJob, 'metadata'>, replica: Replica): Labels {
  return { ...roleLabels(adapter, job, replica.role), [LABELS.replicaIndex]: String(replica.index) };
}

export function podLabels(adapter: FrameworkAdapter, job: TrainingJob, replica: Replica): Readonly<Labels> {
  if (adapter.podLabels !== undefined) return adapter.podLabels(job, replica);
  const labels = replicaLabels(adapter, job, replica);
  return adapter.isMaster(job, replica) ? { ...labels, [LABELS.jobRole]: JOB_ROLE_MASTER } : labels;
}

/** The value of a label selector that finds the objects of all its jobs. */
export function operatorSelector({ operatorName, otherOperatorNames = [] }: FrameworkAdapter): string {
  const names = [operatorName, ...otherOperatorNames];
  const label = LABELS.operatorName;
  return names.length === 1 ? `${label}=${operatorName}` : `${label} in (${names.join(',')})`;
}

/** As autoscalers read it from `status.replicaStatuses.<role>.selector`: sorted, `key=value,…`. */
export function selectorString(labels: Labels): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
