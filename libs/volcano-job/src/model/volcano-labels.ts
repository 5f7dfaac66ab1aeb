/** Labels and annotations that Volcano sets on pods; scripts, `vcctl` and its scheduler read them. */
import type { TrainingJob } from '@muster/common-job-controller';

export const VOLCANO_LABELS = {
  jobName: 'volcano.sh/job-name',
  jobNamespace: 'volcano.sh/job-namespace',
  taskName: 'volcano.sh/task-spec',
  taskIndex: 'volcano.sh/task-index',
  queue: 'volcano.sh/queue-name',
  partition: 'volcano.sh/partition-id',
} as const;

type Texts = Record<string, string>;

interface PodOfTask {
  readonly task: string;
  readonly index: number;
  readonly queue: string;
  readonly partition?: number | undefined;
}

type Job = Pick<TrainingJob, 'metadata'>;

export function volcanoPodLabels({ metadata }: Job, { task, index, queue, partition }: PodOfTask): Texts {
  return {
    [VOLCANO_LABELS.jobName]: metadata.name,
    [VOLCANO_LABELS.jobNamespace]: metadata.namespace,
    [VOLCANO_LABELS.taskName]: task,
    [VOLCANO_LABELS.taskIndex]: String(index),
    [VOLCANO_LABELS.queue]: queue,
    ...(partition !== undefined && { [VOLCANO_LABELS.partition]: String(partition) }),
  };
}

/** @param retries number of earlier restarts of the Job */
export function volcanoPodAnnotations({ metadata }: Job, { task, index, queue }: PodOfTask, retries: number): Texts {
  return {
    'volcano.sh/job-name': metadata.name,
    'volcano.sh/job-retry-count': String(retries),
    'volcano.sh/queue-name': queue,
    'volcano.sh/task-index': String(index),
    'volcano.sh/task-spec': task,
    'volcano.sh/template-uid': `${metadata.name}-${task}`,
  };
}

export function volcanoReplicaOf(
  labels: Readonly<Texts>,
): { readonly role: string; readonly index: number } | undefined {
  const { [VOLCANO_LABELS.taskName]: role, [VOLCANO_LABELS.taskIndex]: index = '' } = labels;
  return role === undefined || !/^\d+$/.test(index) ? undefined : { role, index: Number(index) };
}
