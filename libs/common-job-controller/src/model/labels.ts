/** The labels by which a job's children are found again. */
import { JOB_ROLE_MASTER, LABELS } from '@muster/job-api';
import type { FrameworkAdapter, PodLabels } from '../contract/adapter.ts';
import { replicaLabelled } from '../pods/replica-pods.ts';
import type { Replica, ReplicaRole, TrainingJob } from './training-job.ts';

type Labels = Record<string, string>;

/** On everything that belongs to the job. */
export function jobLabels(adapter: FrameworkAdapter, job: Pick<TrainingJob, 'metadata'>): Labels {
  return { [LABELS.jobName]: job.metadata.name, [LABELS.operatorName]: adapter.labels.operatorNames[0] };
}

/** What the labels of all pods of the role have in common. */
export function labelsOfPods(adapter: FrameworkAdapter, job: TrainingJob, role: ReplicaRole): Labels {
  const [first, second] = [
    adapter.labels.ofPod(job, { role, index: 0 }),
    adapter.labels.ofPod(job, { role, index: 1 }),
  ];
  return Object.fromEntries(Object.entries(first).filter(([key, value]) => second[key] === value));
}

/** Under which the Services of a job with a network find the replica's pod. */
export function replicaLabels(adapter: FrameworkAdapter, job: Pick<TrainingJob, 'metadata'>, replica: Replica): Labels {
  return labelsOfReplica(adapter.labels.operatorNames[0], job, replica);
}

function labelsOfReplica(
  operatorName: string,
  { metadata }: Pick<TrainingJob, 'metadata'>,
  { role, index }: Replica,
): Labels {
  return {
    [LABELS.jobName]: metadata.name,
    [LABELS.operatorName]: operatorName,
    [LABELS.replicaType]: role.name.toLowerCase(),
    [LABELS.replicaIndex]: String(index),
  };
}

/**
 * The labels of Kubeflow's training operator, which its users and their tools look for.
 *
 * @param isMaster whether the replica leads the job: its pod gets the label `training.kubeflow.org/job-role: master`
 */
export function trainingOperatorLabels<Options>(
  operatorName: string,
  isMaster: (job: TrainingJob<Options>, replica: Replica) => boolean,
): PodLabels<Options> {
  return {
    operatorNames: [operatorName],
    ofPod(job, replica) {
      const labels = labelsOfReplica(operatorName, job, replica);
      return isMaster(job, replica) ? { ...labels, [LABELS.jobRole]: JOB_ROLE_MASTER } : labels;
    },
    replicaOf: replicaLabelled,
  };
}

/** The value of a label selector that finds the objects of all jobs of these kinds. */
export function operatorSelector(adapters: readonly Pick<FrameworkAdapter, 'labels'>[]): string {
  const names = [...new Set(adapters.flatMap(({ labels }) => labels.operatorNames))];
  const label = LABELS.operatorName;
  return names.length === 1 ? `${label}=${names[0]}` : `${label} in (${names.join(',')})`;
}

/** As autoscalers read it from `status.replicaStatuses.<role>.selector`: sorted, `key=value,…`. */
export function selectorString(labels: Labels): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
