import { JOB_ROLE_MASTER, LABELS, type Pod } from '@muster/job-api';
import type { FrameworkAdapter, JobLabels } from './adapter.ts';
import type { Replica, ReplicaRole, TrainingJob } from '../model/training-job.ts';

type Labels = Record<string, string>;

export function labelsOfPods(adapter: FrameworkAdapter, job: TrainingJob, role: ReplicaRole): Labels {
  const labelsAt = (index: number) => adapter.labels.ofPod(job, { role, index });
  const [first, second] = [labelsAt(0), labelsAt(1)];
  return Object.fromEntries(Object.entries(first).filter(([key, value]) => second[key] === value));
}

export function replicaLabels(
  adapter: FrameworkAdapter,
  job: Pick<TrainingJob, 'metadata'>,
  { role, index }: Replica,
): Labels {
  return { ...adapter.labels.ofJob(job.metadata.name), ...ofReplica({ role, index }) };
}

function ofReplica({ role, index }: Replica): Labels {
  return { [LABELS.replicaType]: role.name.toLowerCase(), [LABELS.replicaIndex]: String(index) };
}

/** @param operatorNames accepted values of `training.kubeflow.org/operator-name`; new objects get the first */
export function byOperatorName(
  operatorNames: readonly [string, ...string[]],
): Pick<JobLabels, 'selector' | 'ofJob' | 'jobOf'> {
  const known = new Set<string | undefined>(operatorNames);
  return {
    selector: { key: LABELS.operatorName, values: operatorNames },
    ofJob: (name) => ({ [LABELS.jobName]: name, [LABELS.operatorName]: operatorNames[0] }),
    jobOf: ({ [LABELS.jobName]: job, [LABELS.operatorName]: operator }) =>
      operator === undefined || known.has(operator) ? job : undefined,
  };
}

/**
 * The labels that Kubeflow's users and tools rely on.
 *
 * @param isMaster whether the replica leads the job: its pod gets `training.kubeflow.org/job-role: master`
 */
export function trainingOperatorLabels<Options>(
  operatorName: string,
  isMaster: (job: TrainingJob<Options>, replica: Replica) => boolean,
): JobLabels<Options> {
  const common = byOperatorName([operatorName]);
  return {
    ...common,
    ofPod(job, replica) {
      const labels = { ...common.ofJob(job.metadata.name), ...ofReplica(replica) };
      return isMaster(job, replica) ? { ...labels, [LABELS.jobRole]: JOB_ROLE_MASTER } : labels;
    },
    replicaOf: replicaLabelled,
  };
}

/** The label selector for the objects of all jobs of these kinds. Throws if they use several label keys. */
export function selectorOf(adapters: readonly Pick<FrameworkAdapter, 'labels'>[]): string {
  const selectors = adapters.map(({ labels }) => labels.selector);
  const keys = [...new Set(selectors.map(({ key }) => key))];
  const [key, other] = keys;
  if (key === undefined || other !== undefined) {
    throw new Error(`all kinds of an operator must be selected by the same label, but these use ${keys.join(' and ')}`);
  }
  if (selectors.some(({ values }) => values === undefined)) return key;
  const values = [...new Set(selectors.flatMap((each) => each.values ?? []))];
  return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
}

/** The format of `status.replicaStatuses.<role>.selector`, which autoscalers read: sorted, `key=value,…`. */
export function selectorString(labels: Labels): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

export function replicaLabelled({ metadata }: Pod): { readonly role: string; readonly index: number } | undefined {
  const { [LABELS.replicaType]: role, [LABELS.replicaIndex]: index = '' } = metadata?.labels ?? {};
  return role === undefined || !/^\d+$/.test(index) ? undefined : { role, index: Number(index) };
}
