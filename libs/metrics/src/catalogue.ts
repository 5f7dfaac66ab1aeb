/** All metrics, in the order of the reference. */
import type { MetricSet } from './declaration.ts';
import { ELECTION } from './declarations/election.ts';
import { JOB_TIME } from './declarations/job-time.ts';
import { JOBS } from './declarations/jobs.ts';
import { PER_JOB } from './declarations/per-job.ts';
import { BUILD, PROCESS } from './declarations/process.ts';
import { RAY_CRON } from './declarations/ray-cron.ts';
import { RAY_SERVE } from './declarations/ray-serve.ts';
import { RAY } from './declarations/ray.ts';
import { REQUESTS } from './declarations/requests.ts';
import { RUNTIME } from './declarations/runtime.ts';
import { RECORDING } from './declarations/recording.ts';
import { SHADOW } from './declarations/shadow.ts';
import { WATCHES } from './declarations/watches.ts';
import { WORK_QUEUE } from './declarations/work-queue.ts';

export interface MetricGroup {
  readonly title: string;
  /** Origin of the names, and what all metrics of the group have in common. */
  readonly about: string;
  readonly metrics: MetricSet;
  /** The only framework whose operator exports them. Default: all do. */
  readonly framework?: string;
}

export const METRICS: readonly MetricGroup[] = [
  {
    title: 'Jobs',
    about:
      "By namespace. `training_operator_*` are the names and labels of Kubeflow's operator. Counters restart at 0 when the " +
      'operator restarts; gauges are computed from its caches.',
    metrics: JOBS,
  },
  {
    title: 'Time of jobs',
    about:
      'By namespace and queue, up to the moment of the scrape. Counters restart at 0 when the operator restarts or another process ' +
      'becomes the leader, and when a namespace has had no job for an hour. Exported by the leader.',
    metrics: JOB_TIME,
  },
  {
    title: 'Each job',
    about:
      'One or more series for each job, as in kube-state-metrics: they are removed with the job. ' +
      'Off with `--per-job-metrics=false` (`metrics.perJob` in the charts). Exported by the leader.',
    metrics: PER_JOB,
  },
  {
    title: 'Ray',
    about: "KubeRay's names and labels, one or more series for each RayCluster, RayJob and RayService.",
    metrics: RAY,
    framework: 'ray',
  },
  {
    title: 'RayCronJobs',
    about:
      'One series for each RayCronJob, as in kube-state-metrics for CronJobs. Off with `--per-job-metrics=false`. ' +
      'Exported by the leader.',
    metrics: RAY_CRON,
    framework: 'ray',
  },
  {
    title: 'RayServices',
    about: 'Series for each RayService. Off with `--per-job-metrics=false`. Exported by the leader.',
    metrics: RAY_SERVE,
    framework: 'ray',
  },
  {
    title: 'Reconciling',
    about: "controller-runtime's names, labels and buckets; `controller` is the kind in lower case.",
    metrics: RUNTIME,
  },
  {
    title: 'Work queues',
    about:
      "controller-runtime's names and labels, and its buckets, with finer ones from 1 ms; `name` is the plural of the kind.",
    metrics: WORK_QUEUE,
  },
  { title: 'Requests to the API server', about: "client-go's names and labels.", metrics: REQUESTS },
  { title: 'Leader election', about: "client-go's name and label.", metrics: ELECTION },
  {
    title: 'Shadow mode',
    about: 'Of an operator that compares its plans with what another operator does ([shadow mode](shadow.md)).',
    metrics: SHADOW,
  },
  {
    title: 'Recorded reconcile runs',
    about: 'Of an operator that records ([recording](recording.md)).',
    metrics: RECORDING,
  },
  { title: 'Watches', about: "Watches that keep the operator's caches current.", metrics: WATCHES },
  { title: 'Build', about: 'Version and framework of the operator.', metrics: BUILD },
  {
    title: 'Process',
    about: 'Exported by prom-client for every Node.js process.',
    metrics: PROCESS,
  },
];
