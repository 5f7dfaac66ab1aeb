/** Jobs that are created at a steady rate, run to their end and are then deleted: measures the time to the first pod of each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LABELS, PODS, type KubeObject, type Pod } from '@muster/job-api';
import { createInformer, type ClusterAccess, type ClusterClient } from '@muster/kube';
import { rawClient } from '../raw-client.ts';
import { trainingJob, type JobObject, type MeasuredKind } from '../training-job.ts';

const CONNECTIONS = 64;
const ASK_EVERY_MS = 100;
/** After the last job was created. Objects that still exist then were forgotten. */
const GONE_LIMIT_MS = 300_000;

export interface ChurnBench {
  readonly access: ClusterAccess;
  readonly client: ClusterClient;
  readonly namespace: string;
}

export interface Churn {
  readonly kind: MeasuredKind;
  /** The prefix of the jobs' names. */
  readonly prefix: string;
  readonly pods: number;
  readonly trainingMs: number;
  readonly jobsPerSecond: number;
  readonly seconds: number;
}

export interface ChurnSample {
  readonly jobs: number;
  /** From a job to its first pod, in milliseconds, both as a watch reports them. One value for each job. */
  readonly firstPodMs: readonly number[];
  /** The largest number of jobs that had not ended. */
  readonly mostJobsAtOnce: number;
}

/** Resolves when the last job and its pods are gone. */
export async function churnLoad({ access, client, namespace }: ChurnBench, churn: Churn): Promise<ChurnSample> {
  const { kind, prefix, pods: podsOfJob, trainingMs, jobsPerSecond, seconds } = churn;
  const { group, version, plural } = kind.resource;
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  const raw = await rawClient(access, CONNECTIONS);
  const failures: unknown[] = [];
  const inBackground = (work: Promise<void>) => void work.catch((error: unknown) => failures.push(error));
  const jobs = createInformer(client, kind.resource, { namespaces: [namespace] });
  const pods = createInformer(client, PODS, { namespaces: [namespace], labelSelector: LABELS.jobName });
  const deleted = new Set<string>();
  const onceEnded = ({ metadata, status }: JobObject) => {
    const name = metadata?.name ?? '';
    if (status?.state !== 'Succeeded' || deleted.has(name)) return;
    deleted.add(name);
    inBackground(raw.delete(`${path}/${name}`));
  };
  const times = new FirstPods();
  jobs.subscribe({
    added: (job) => times.sawJob(job),
    updated: (_before, job) => onceEnded(job),
  });
  pods.subscribe({ added: (pod) => times.sawPod(pod) });
  jobs.start();
  pods.start();
  try {
    await Promise.all([jobs.waitForSync(), pods.waitForSync()]);
    const count = Math.max(1, Math.round(jobsPerSecond * seconds));
    const startMs = performance.now();
    let mostJobsAtOnce = 0;
    for (let index = 0; index < count && failures.length === 0; index++) {
      await sleep(Math.max(0, startMs + (index / jobsPerSecond) * 1000 - performance.now()));
      inBackground(raw.post(path, trainingJob(kind, `${prefix}-${index}`, podsOfJob, trainingMs)));
      mostJobsAtOnce = Math.max(mostJobsAtOnce, jobs.list().length);
    }
    await gone(() => failures.length > 0 || (deleted.size === count && jobs.list().length + pods.list().length === 0), {
      jobs,
      pods,
    });
    if (failures.length > 0) throw failures[0];
    return { jobs: count, firstPodMs: times.waits(), mostJobsAtOnce };
  } finally {
    raw.close();
    await Promise.all([jobs.stop(), pods.stop()]);
  }
}

/** The time of a job and of its first pod, whichever watch was first. */
class FirstPods {
  readonly #jobs = new Map<string, number>();
  readonly #pods = new Map<string, number>();

  sawJob({ metadata }: KubeObject): void {
    this.#jobs.set(metadata?.name ?? '', performance.now());
  }

  sawPod({ metadata }: Pod): void {
    const job = metadata?.labels?.[LABELS.jobName] ?? '';
    if (!this.#pods.has(job)) this.#pods.set(job, performance.now());
  }

  waits(): number[] {
    return [...this.#jobs].map(([name, ms]) => Math.max(0, (this.#pods.get(name) ?? Infinity) - ms));
  }
}

interface Lists {
  readonly jobs: { list(): readonly unknown[] };
  readonly pods: { list(): readonly unknown[] };
}

async function gone(holds: () => boolean, { jobs, pods }: Lists): Promise<void> {
  const limitMs = performance.now() + GONE_LIMIT_MS;
  while (!holds()) {
    if (performance.now() > limitMs)
      throw new Error(
        `${jobs.list().length} jobs and ${pods.list().length} pods still exist ${GONE_LIMIT_MS} ms after the last job was created`,
      );
    await sleep(ASK_EVERY_MS);
  }
}
