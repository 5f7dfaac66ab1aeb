/**
 * PyTorchJobs in all states that a dashboard tells apart, for simulated nodes: pods end as an annotation asks. They are made in two
 * waves, because Prometheus knows no rate of what began with the first scrape.
 */
import { type KubeObject, PYTORCH_JOBS, type PyTorchJob } from '@muster/job-api';
import { SIMULATE_AFTER_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';
import type { KubeClient } from '@muster/kube';

interface JobShape {
  readonly name: string;
  readonly namespace: string;
  readonly workers: number;
  /** Becomes an elastic one, from 2 to this many workers. */
  readonly elasticTo?: number;
  readonly end?: { readonly how: 'succeed' | 'fail'; readonly after: string };
  readonly restartPolicy?: 'OnFailure' | 'Never';
  readonly isSuspended?: boolean;
  /** Of each pod. */
  readonly cpu?: string;
  readonly priorityClassName?: string;
}

/** The namespaces of two teams. */
export interface StagedNamespaces {
  readonly vision: string;
  readonly speech: string;
}

/** Which job is of use for the dashboard of one job: it is elastic, and is restarted again and again. */
export const RESTARTED_JOB = 'wav2vec';
/** A job that waits. */
export const WAITING_JOB = 'llama';

function firstWave({ vision, speech }: StagedNamespaces): JobShape[] {
  return [
    { name: 'resnet', namespace: vision, workers: 4, elasticTo: 8 },
    { name: 'bert', namespace: speech, workers: 3 },
    { name: RESTARTED_JOB, namespace: speech, workers: 3, elasticTo: 6, end: { how: 'fail', after: '20s' } },
    { name: 'ablation', namespace: vision, workers: 2, isSuspended: true },
  ];
}

function secondWave({ vision, speech }: StagedNamespaces): JobShape[] {
  return [
    { name: 'mnist', namespace: vision, workers: 2, end: { how: 'succeed', after: '10s' } },
    { name: 'cifar', namespace: vision, workers: 6, end: { how: 'succeed', after: '45s' } },
    { name: 'whisper', namespace: speech, workers: 4 },
    { name: 'typo', namespace: vision, workers: 1, end: { how: 'fail', after: '5s' }, restartPolicy: 'Never' },
    // No node is so large.
    { name: WAITING_JOB, namespace: speech, workers: 2, elasticTo: 4, cpu: '4000' },
    // The API server refuses its pods.
    { name: 'priority', namespace: vision, workers: 1, priorityClassName: 'there-is-no-such-class' },
  ];
}

/** Jobs that go on for as long as they are let. */
export async function makeFirstJobs(client: KubeClient, namespaces: StagedNamespaces): Promise<void> {
  for (const shape of firstWave(namespaces)) await client.create(PYTORCH_JOBS, jobOf(shape));
}

/** Jobs that succeed, fail, wait and are refused; and one of the first is given other sizes. */
export async function makeFurtherJobs(client: KubeClient, namespaces: StagedNamespaces): Promise<void> {
  for (const shape of secondWave(namespaces)) await client.create(PYTORCH_JOBS, jobOf(shape));
  await resize(client, namespaces, 7);
}

/** Gives the elastic job `resnet` another number of workers. */
export async function resize(client: KubeClient, { vision }: StagedNamespaces, replicas: number): Promise<void> {
  const key = { namespace: vision, name: 'resnet' };
  await client.patch(PYTORCH_JOBS, key, { spec: { pytorchReplicaSpecs: { Worker: { replicas } } } });
}

function jobOf({ name, namespace, workers, elasticTo, end, ...more }: JobShape): PyTorchJob & KubeObject {
  const { restartPolicy = 'OnFailure', isSuspended = false, cpu = '100m', priorityClassName } = more;
  const labels = end === undefined ? {} : { [SIMULATE_LABEL]: end.how };
  const annotations = end === undefined ? {} : { [SIMULATE_AFTER_ANNOTATION]: end.after };
  const container = {
    name: 'pytorch',
    image: 'registry.example/train:1',
    resources: { requests: { cpu } },
  };
  return {
    metadata: { name, namespace },
    spec: {
      ...(elasticTo !== undefined && { elasticPolicy: { minReplicas: 2, maxReplicas: elasticTo } }),
      runPolicy: { suspend: isSuspended, backoffLimit: 1000 },
      pytorchReplicaSpecs: {
        Worker: {
          replicas: workers,
          restartPolicy,
          template: {
            metadata: { labels, annotations },
            spec: { containers: [container], ...(priorityClassName !== undefined && { priorityClassName }) },
          },
        },
      },
    },
  };
}
