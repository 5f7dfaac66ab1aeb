/** The Jobs and StatefulSets that a job should have, made of the pods that Muster would have made. */
import { createHash } from 'node:crypto';
import { ANNOTATIONS, type KubeObject, type Pod, type PodSpec } from '@muster/job-api';
import { workloadResourceOf, type WorkloadResource } from '../model/replica-identity.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import {
  ownResources,
  type OwnedResource,
  type ResourceChange,
  type DesiredResource,
} from '../model/owned-resources.ts';
import { attemptLabel, attemptOf, isOutdated } from '../model/attempt.ts';
import { roleName } from '../model/pod-name.ts';
import { IGNORE_DISRUPTIONS } from '../pods/pod-end.ts';
import { exitCodeOf, haveContainersEnded } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import {
  hasWorkloadEnded,
  isAtRest,
  ownWorkloads,
  podsOf,
  WORKLOAD_KINDS,
  workloadOf,
  type WorkloadObject,
} from './workloads.ts';

/** `pod` is the role's first, and `pods` are all that there are. */
export function desiredWorkload(
  job: TrainingJob,
  role: ReplicaRole & { readonly identity: WorkloadResource },
  pod: Pod,
  pods: readonly Pod[],
): DesiredResource<WorkloadObject> {
  const { kind, labels, spec } = role.identity;
  const { resource } = WORKLOAD_KINDS[kind];
  const isSuspended = job.hold !== undefined;
  const template = templateOf(pod);
  const digest = digestOf(role.identity, template, attemptOf(job, role));
  const object: KubeObject & { spec: object } = {
    apiVersion: `${resource.group}/${resource.version}`,
    kind,
    metadata: {
      name: roleName(job, role),
      labels: { ...labels, ...attemptLabel(job, role) },
      annotations: { [ANNOTATIONS.template]: digest },
    },
    spec: {
      ...(kind === 'StatefulSet' && { replicas: isSuspended ? 0 : role.replicas }),
      ...spec,
      ...(kind === 'Job' && isSuspended && { suspend: true }),
      ...(ignoresDisruptions(role, template.spec) && { podFailurePolicy: { rules: [IGNORE_DISRUPTIONS] } }),
      template,
    },
  };
  return {
    resource,
    object,
    change(existing) {
      if (isOutdated(existing, job, role)) return 'Recreate';
      const isOther = existing.metadata?.annotations?.[ANNOTATIONS.template] !== digest;
      // Pods of before may still be going. They are looked at again when they are gone.
      if (isOther && isAtRest(existing)) return podsOf(existing, pods).some(isActive) ? undefined : 'Recreate';
      return kind === 'Job'
        ? jobChange(existing, isSuspended, template)
        : scaled(existing, isSuspended ? 0 : role.replicas);
    },
  };
}

/** Not where Muster decides what follows from each failure. */
function ignoresDisruptions({ identity, restartsAsPods }: ReplicaRole, { restartPolicy }: PodSpec): boolean {
  return identity?.kind === 'Job' && restartsAsPods !== true && restartPolicy === 'Never';
}

/**
 * Tells whether an object that is there was made of what is wanted now. The API server cannot be asked, since it adds
 * defaults. Without what a patch brings into a suspended Job (`jobChange`): a queue changes that at each start.
 */
function digestOf({ kind, spec }: WorkloadResource, template: ReturnType<typeof templateOf>, attempt: number): string {
  const { nodeSelector: _nodes, tolerations: _tolerations, schedulingGates: _gates, ...lasting } = template.spec;
  const { finalizers } = template.metadata;
  const made = kind === 'Job' ? { finalizers, spec: lasting, ...(attempt > 0 && { attempt }) } : template;
  return createHash('sha256')
    .update(canonicalJson([spec, made]))
    .digest('hex')
    .slice(0, 16);
}

/** The same whatever the order in which an object's fields were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

/** What a finished job's workloads come to: nothing of theirs runs on. */
export function stoppedWorkloads(
  job: TrainingJob,
  ownedResources: readonly OwnedResource[],
  replicas: readonly ReplicaPod[],
  graceOf: GraceOf,
): DesiredResource[] {
  const own = ownResources(job, ownedResources);
  const ofRoles = job.roles.flatMap((role) => {
    const object = workloadOf(job, role, own);
    const made = workloadResourceOf(role);
    if (object === undefined || made === undefined) return [];
    const { resource } = WORKLOAD_KINDS[made.kind];
    const mine = replicas.filter((replica) => replica.role === role);
    const change = made.kind === 'StatefulSet' ? scaled(object, 0) : ended(object, mine, graceOf);
    return [{ resource, object, change: () => change }];
  });
  return [...ofRoles, ...surplusWorkloads(job, ownedResources)];
}

/** StatefulSets of roles that the job has no longer: they stay, without pods. */
export function surplusWorkloads(job: TrainingJob, ownedResources: readonly OwnedResource[]): DesiredResource[] {
  const ofRoles = new Set(job.roles.map((role) => workloadOf(job, role, ownedResources)));
  return ownWorkloads(job, ownedResources)
    .filter(({ kind, object }) => kind.resource === WORKLOAD_KINDS.StatefulSet.resource && !ofRoles.has(object))
    .map(({ kind: { resource }, object }) => ({ resource, object, change: () => scaled(object, 0) }));
}

/** A Job that has ended, or whose pod has and that is about to see it, is left to itself; so is one whose pod has a grace for other containers. */
function ended(job: WorkloadObject, replicas: readonly ReplicaPod[], graceOf: GraceOf): ResourceChange | undefined {
  if (hasWorkloadEnded(job) || job.spec?.suspend === true) return undefined;
  const pods = replicas.flatMap(({ pod }) => pod ?? []);
  const isEnding = pods.length > 0 && (!pods.some(isActive) || pods.every(haveContainersEnded));
  const isLeft = isEnding ? !replicas.some(isRetriedForSidecar) : replicas.some((replica) => graceOf(replica) > 0);
  return isLeft ? undefined : { patch: { spec: { suspend: true } } };
}

/** The main container has ended well and another one badly: the Job counts the pod as failed and would run the program again. */
function isRetriedForSidecar({ pod, role }: ReplicaPod): boolean {
  if (pod === undefined || exitCodeOf(pod, role.containerName) !== 0) return false;
  return (pod.status?.containerStatuses ?? []).some(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
}

function isActive({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function scaled(existing: WorkloadObject, replicas: number): ResourceChange | undefined {
  return existing.spec?.replicas === replicas ? undefined : { patch: { spec: { replicas } } };
}

/**
 * A Job's template can be changed only where it says how its pods are scheduled, and only in a Job that is suspended and has
 * not started: its start is taken back first. What a queue has changed in the job while that was suspended (node selector,
 * tolerations) so reaches its pods; this is what Kueue relies on (kubeflow/mpi-operator, pull request 670).
 */
function jobChange(
  existing: WorkloadObject,
  isSuspended: boolean,
  { metadata, spec }: ReturnType<typeof templateOf>,
): ResourceChange | undefined {
  if (hasWorkloadEnded(existing) || (existing.spec?.suspend ?? false) === isSuspended) return undefined;
  if (isSuspended) return { patch: { spec: { suspend: true } } };
  if (existing.status?.startTime !== undefined)
    return { patch: { status: { startTime: null } }, subresource: 'status' };
  const { tolerations, schedulingGates } = spec;
  // Key by key: what a queue has asked of the nodes of an earlier run is taken back.
  const before = Object.keys(existing.spec?.template?.spec?.nodeSelector ?? {}).map((key) => [key, null] as const);
  const nodeSelector = { ...Object.fromEntries(before), ...spec.nodeSelector };
  const { labels, annotations } = metadata;
  return {
    patch: {
      spec: {
        suspend: false,
        template: {
          metadata: { labels, ...(annotations && { annotations }) },
          spec: {
            ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
            tolerations: tolerations ?? null,
            schedulingGates: schedulingGates ?? null,
          },
        },
      },
    },
  };
}

function templateOf({ metadata, spec }: Pod) {
  const { labels = {}, annotations, finalizers } = metadata ?? {};
  return {
    metadata: { labels, ...(annotations && { annotations }), ...(finalizers && { finalizers }) },
    spec: spec ?? { containers: [] },
  };
}

/** For how many milliseconds more the pod of a finished job stays for its other containers; 0 where it does not. */
export type GraceOf = (replica: ReplicaPod) => number;
