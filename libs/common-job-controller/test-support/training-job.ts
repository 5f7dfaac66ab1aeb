import type { JobStatus, PodSpec, Resource, RunPolicy } from '@muster/job-api';
import type { GangRules } from '../src/contract/gang-scheduler.ts';
import type { ReplicaRole, TrainingJob } from '../src/model/training-job.ts';

const JOBS: Resource = {
  group: 'kubeflow.org',
  version: 'v1',
  kind: 'PyTorchJob',
  plural: 'pytorchjobs',
  namespaced: true,
};

type Amounts = Record<string, string>;

/** Adds nothing to pods, and needs whole roles. */
export const NO_RULES: GangRules = { pod: () => ({}) };

export function podSpec(requests: Amounts = {}, rest: Partial<PodSpec> = {}): PodSpec {
  return { containers: [{ name: 'main', image: 'registry.example/main:1', resources: { requests } }], ...rest };
}

export function role(name: string, replicas: number, spec: PodSpec = podSpec()): ReplicaRole {
  return { name, replicas, template: { spec }, restartPolicy: 'Never', endsByItself: true, containerName: 'main' };
}

interface JobParts {
  readonly namespace?: string;
  /** An existing object of this name, for the garbage collector. */
  readonly stored?: { readonly resource: Resource; readonly uid: string };
  readonly kind?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly schedulingPolicy?: RunPolicy['schedulingPolicy'];
  readonly startOrder?: RunPolicy['startOrder'];
  readonly status?: JobStatus;
}

export function trainingJob(roles: readonly ReplicaRole[], parts: JobParts = {}): TrainingJob {
  const {
    namespace = 'team',
    kind = JOBS.kind,
    labels,
    annotations,
    schedulingPolicy,
    startOrder,
    status = {},
  } = parts;
  const { resource, uid } = parts.stored ?? { resource: { ...JOBS, kind }, uid: 'uid-1' };
  return {
    resource,
    metadata: { name: 'mnist', namespace, uid, ...(labels && { labels }), ...(annotations && { annotations }) },
    roles,
    runPolicy: {
      suspend: false,
      ...(schedulingPolicy && { schedulingPolicy }),
      ...(startOrder && { startOrder }),
    },
    status,
    options: {},
  };
}
