/**
 * Jobs in all states that a dashboard distinguishes, for simulated nodes. Annotations determine how pods end. The jobs are created in two
 * waves, because Prometheus computes no increase of series that start with the first scrape.
 */
import { PYTORCH_JOBS, type FrameworkName } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import { PICTURE_KINDS, pictureJob, type JobShape } from './picture-kinds.ts';

/** The namespaces of two teams. */
export interface TestNamespaces {
  readonly vision: string;
  readonly speech: string;
}

/** For the dashboard of one job: elastic, and restarted repeatedly. */
export const RESTARTED_JOB = 'wav2vec';
/** A waiting job. */
export const WAITING_JOB = 'llama';

function firstWave({ vision, speech }: TestNamespaces): JobShape[] {
  return [
    { name: 'resnet', namespace: vision, workers: 4, elasticTo: 8 },
    { name: 'bert', namespace: speech, workers: 3, gpus: 1 },
    { name: RESTARTED_JOB, namespace: speech, workers: 3, gpus: 1, elasticTo: 6, end: { how: 'fail', after: '20s' } },
    { name: 'ablation', namespace: vision, workers: 2, isSuspended: true },
  ];
}

function secondWave({ vision, speech }: TestNamespaces): JobShape[] {
  return [
    { name: 'mnist', namespace: vision, workers: 2, end: { how: 'succeed', after: '10s' } },
    { name: 'cifar', namespace: vision, workers: 6, gpus: 1, end: { how: 'succeed', after: '45s' } },
    { name: 'whisper', namespace: speech, workers: 4 },
    { name: 'typo', namespace: vision, workers: 1, end: { how: 'fail', after: '5s' }, restartPolicy: 'Never' },
    // Larger than any node.
    { name: WAITING_JOB, namespace: speech, workers: 2, elasticTo: 4, cpu: '4000' },
    // The API server rejects its pods.
    { name: 'priority', namespace: vision, workers: 1, priorityClassName: 'there-is-no-such-class' },
  ];
}

/**
 * Jobs that do not end by themselves.
 * @param followed for jobs with progress: the test must respond for their pods
 */
export function makeFirstJobs(
  client: KubeClient,
  namespaces: TestNamespaces,
  framework: FrameworkName,
  followed: Pick<JobShape, 'progressDeadlineSeconds'> = {},
): Promise<void> {
  const shapes = firstWave(namespaces).map((shape) => ({ ...shape, ...followed }));
  return make(client, framework, shapes);
}

/** Jobs that succeed, fail, wait or are rejected. */
export function makeFurtherJobs(
  client: KubeClient,
  namespaces: TestNamespaces,
  framework: FrameworkName,
): Promise<void> {
  return make(client, framework, secondWave(namespaces));
}

/** A PyTorchJob that waits for GPUs that another job holds, and then loses time to the failures of its Master. */
export async function makeLargeJob(client: KubeClient, { vision }: TestNamespaces): Promise<void> {
  await make(client, 'pytorch-elastic', [
    { name: 'gpt', namespace: vision, workers: 7, gpus: 2, masterFailsAfter: '30s' },
  ]);
}

async function make(client: KubeClient, framework: FrameworkName, shapes: readonly JobShape[]): Promise<void> {
  for (const shape of shapes) await client.create(PICTURE_KINDS[framework].resource, pictureJob(framework, shape));
}

/** Changes the number of workers of the elastic PyTorchJob `resnet`. */
export async function resize(client: KubeClient, { vision }: TestNamespaces, replicas: number): Promise<void> {
  const key = { namespace: vision, name: 'resnet' };
  await client.patch(PYTORCH_JOBS, key, { spec: { pytorchReplicaSpecs: { Worker: { replicas } } } });
}
