/**
 * The variable `TF_CONFIG`, with the addresses of all tasks and the pod's own task for TensorFlow's strategies
 * (kubeflow/training-operator, pkg/controller.v1/tensorflow/tensorflow.go). Equals Go's output byte for byte.
 */
import { portOf, type Peers, type Replica, type ReplicaRole } from '@muster/common-job-controller';
import { TF_MAIN } from './tf-main.ts';
import type { TFTrainingJob } from './tf-options.ts';

/** Undefined for a job of a single replica: TensorFlow runs it as a plain program. */
export function tfConfig(job: TFTrainingJob, replica: Replica, peers: Peers): string | undefined {
  const total = job.roles.reduce((sum, { replicas }) => sum + replicas, 0);
  if (total === 1) return undefined;
  const task = { type: replica.role.name.toLowerCase(), index: replica.index };
  if (job.options.isDynamic) return tfConfigText(JSON.stringify(dynamicCluster(job, replica, peers)), task);
  return tfConfigText(clusterText(job, peers), task, { environment: 'cloud' });
}

interface TFTask {
  readonly type: string;
  readonly index: number;
}

/** @param cluster the addresses of all tasks, in JSON, shared by thousands of pods */
export function tfConfigText(cluster: string, { type, index }: TFTask, others: Readonly<Record<string, string>> = {}) {
  return `{"cluster":${cluster},${JSON.stringify({ task: { type, index }, ...others }).slice(1)}`;
}

/** Cached for all pods with these peers, because building it for each of thousands would take seconds. */
const clusterTexts = new WeakMap<Peers, string>();

function clusterText(job: TFTrainingJob, peers: Peers): string {
  const text = clusterTexts.get(peers) ?? JSON.stringify(wholeCluster(job, peers));
  clusterTexts.set(peers, text);
  return text;
}

/** Each task's address, by role in alphabetical order. */
function wholeCluster({ roles, options }: TFTrainingJob, peers: Peers): Record<string, string[]> {
  const inCluster = roles.filter(({ name }) => name !== 'Evaluator' || options.isEvaluatorInCluster);
  return Object.fromEntries(
    inCluster
      .map((role) => [role.name.toLowerCase(), addressesOf(role, peers)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * The part that does not change with the number of workers: a worker, chief or master has itself and the parameter
 * servers; a parameter server has itself; an evaluator is outside of the cluster.
 */
function dynamicCluster({ roles }: TFTrainingJob, { role, index }: Replica, peers: Peers) {
  const own = address({ role, index }, peers);
  const servers = roles.find(({ name }) => name === 'PS');
  const ps = servers === undefined ? undefined : addressesOf(servers, peers);
  switch (role.name) {
    case 'Worker':
      // Go writes a nil slice as null.
      return { worker: { [index]: own }, ps: ps ?? null };
    case 'PS':
      return { worker: {}, ps: [own] };
    case 'Chief':
    case 'Master':
      // TensorFlow refuses a task that is not in its own cluster.
      return { worker: {}, ps: ps ?? [], [role.name.toLowerCase()]: [own] };
    default:
      return { worker: {}, ps: [] };
  }
}

function addressesOf(role: ReplicaRole, peers: Peers): string[] {
  return Array.from({ length: role.replicas }, (_replica, index) => address({ role, index }, peers));
}

function address(replica: Replica, peers: Peers): string {
  return `${peers.addressOf(replica)}:${portOf(replica.role, TF_MAIN)}`;
}
