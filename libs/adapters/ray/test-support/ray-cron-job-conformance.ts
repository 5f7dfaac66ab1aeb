/** A kind without pods: its RayJobs have them. Its next time is months away, so that the clocks of the cases pass none. */
import { createJobOperator } from '@muster/common-job-controller';
import { crdFor, RAY_CRON_JOBS, rayCronJobDefinition, type RayCronJob } from '@muster/job-api';
import { loneOperatorOptions, started, type ConformanceFramework, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { rayCronJobAdapter } from '../src/cron-job/ray-cron-job-adapter.ts';
import { RAY_LABELS } from '../src/model/ray-labels.ts';
import { JOB_TEMPLATE } from './cron-jobs.ts';

const NO_END = 'a RayCronJob runs until it is deleted';
const NO_LIMITS = 'a RayCronJob has no deadline and no time to live';
const NO_PODS = 'a RayCronJob has no pods: those of its RayJobs are tested with RayJobs';
const NO_MANAGER = 'a RayCronJob has no managedBy: its jobTemplate may have one';
const NO_SERVICE_MODE = 'a RayCronJob has no Services';
const OWN_RECORD = "KubeRay's definition has no field of the engine's record, so all of it is in the annotation";
const NOT_KUBEFLOWS = "kubeflow's training operator runs no RayCronJobs";

/** Cases that do not apply to a RayCronJob, by a part of topic or name, and the reason. */
const DO_NOT_APPLY: readonly (readonly [RegExp, string])[] = [
  [/taking over from kubeflow/, NOT_KUBEFLOWS],
  [
    /the pods of a finished job|after its end|succeeded|its pods ended without|observes the end of a job|condition (Succeeded|Failed) that/,
    NO_END,
  ],
  [/deadlines, time to live and the clock|neither deadline nor time to live/, NO_LIMITS],
  [/managed by another controller/, NO_MANAGER],
  [/an invalid annotation value/, NO_SERVICE_MODE],
  [/fits into upstream fields/, OWN_RECORD],
  [
    /^(a pod that is lost|the number of replicas|a wide job|restarts and their limit|a failure policy|the first failure|the names of)/,
    NO_PODS,
  ],
  [/\(Orphan\)|recreated at once|before its pods are created|waits to be restarted/, NO_PODS],
  [/refusals: (?!a status)|pod creates|wrong counts|(counts|limits) of restarts|an invalid size/, NO_PODS],
  [/fails after restarts|an unschedulable pod|has condition Restarting|share a status write/, NO_PODS],
  [/from the caches alone|several at a time/, NO_PODS],
];

function whyNot(topic: string, name: string): string | undefined {
  return DO_NOT_APPLY.find(([part]) => part.test(`${topic}: ${name}`))?.[1];
}

function manifest({ name, namespace, annotations, runPolicy: { suspend = false } }: JobShape): RayCronJob {
  const month = ((new Date().getUTCMonth() + 6) % 12) + 1;
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCronJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: { schedule: `0 0 1 ${month} *`, suspend, jobTemplate: JOB_TEMPLATE },
  };
}

export const rayCronJobConformance: ConformanceFramework = {
  resource: RAY_CRON_JOBS as ConformanceFramework['resource'],
  crd: crdFor(rayCronJobDefinition),
  operatorName: 'kuberay-operator',
  containerName: 'ray',
  workerRole: '',
  manifest: (shape) => manifest(shape) as ReturnType<ConformanceFramework['manifest']>,
  podNames: () => [],
  decidingPods: () => [],
  ownsNoPods: true,
  hasOwnNetwork: true,
  eventsOfALife: {},
  jobLabel: RAY_LABELS.cronJob,
  labelSelector: RAY_LABELS.cluster,
  recordIn: 'muster',
  suspension: (suspend) => ({ suspend }),
  isEndless: true,
  doesNotApply: whyNot,
  startOperator(start) {
    const registry = new Registry();
    const adapter = { ...rayCronJobAdapter(), resource: start.resource };
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
};
