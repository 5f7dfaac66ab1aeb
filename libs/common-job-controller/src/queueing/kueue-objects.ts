/** The part of Kueue's API (0.15 and later) that Muster uses to create the Workloads of its jobs itself. */
import { ANNOTATIONS, type KubeObject, type PodTemplateSpec, type Resource } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import type { Permission } from '../model/permission.ts';
import { ownResources, type OwnedKind, type OwnedResource } from '../model/owned-resources.ts';
import { trimmedMeta } from '../pods/trim.ts';
import type { Tolerations, QueueingObjects } from '../model/queueing-objects.ts';

export const KUEUE_GROUP = 'kueue.x-k8s.io';

export const KUEUE_LABELS = {
  queue: `${KUEUE_GROUP}/queue-name`,
  priorityClass: `${KUEUE_GROUP}/priority-class`,
  jobUid: `${KUEUE_GROUP}/job-uid`,
} as const;

export const SLICE_ANNOTATIONS = {
  /** On jobs and Workloads: grows by workload slices. */
  elastic: `${KUEUE_GROUP}/elastic-job`,
  replaces: `${KUEUE_GROUP}/workload-slice-replacement-for`,
} as const;

/** These identify Muster's own Workloads and their order. */
const KEPT_ANNOTATIONS: readonly string[] = [ANNOTATIONS.template, SLICE_ANNOTATIONS.replaces];

export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly minCount?: number;
  readonly topologyRequest?: object;
  readonly template: PodTemplateSpec;
}

export interface PodSetCount {
  readonly name: string;
  readonly count?: number;
}

export interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** What a pod template gets when the job is admitted. */
export interface TemplateUpdate {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: Tolerations | undefined;
  readonly schedulingGates?: readonly { readonly name: string }[] | undefined;
}

export interface AdmissionCheck {
  readonly name?: string;
  readonly state?: string;
  readonly message?: string;
  readonly podSetUpdates?: readonly (TemplateUpdate & { readonly name: string })[];
}

export interface PodSetAssignment extends PodSetCount {
  readonly flavors?: Readonly<Record<string, string>>;
  readonly topologyAssignment?: object;
}

/** Of the spec, the cache only keeps the pod counts. */
export interface KueueWorkload extends KubeObject {
  readonly spec?: { readonly podSets?: readonly PodSetCount[] };
  readonly status?: {
    readonly conditions?: readonly WorkloadCondition[];
    readonly admission?: { readonly podSetAssignments?: readonly PodSetAssignment[] };
    readonly admissionChecks?: readonly AdmissionCheck[];
    readonly reclaimablePods?: readonly PodSetCount[];
  };
}

const KUEUE = { group: KUEUE_GROUP, version: 'v1beta2', namespaced: false } as const;

export const KUEUE_WORKLOADS: Resource<KueueWorkload> = {
  ...KUEUE,
  kind: 'Workload',
  plural: 'workloads',
  namespaced: true,
};

/** Cluster-scoped, by the names of `QueueingObjects`. */
export const QUEUEING_RESOURCES: {
  readonly [Name in keyof QueueingObjects]: Resource<QueueingObjects[Name][number]>;
} = {
  flavors: { ...KUEUE, kind: 'ResourceFlavor', plural: 'resourceflavors' },
  workloadPriorityClasses: { ...KUEUE, kind: 'WorkloadPriorityClass', plural: 'workloadpriorityclasses' },
  priorityClasses: {
    group: 'scheduling.k8s.io',
    version: 'v1',
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    namespaced: false,
  },
};

const TOO_MANY_POD_SETS =
  'The job has more roles or worker groups with pods than this version of Kueue allows pod sets in a Workload (spec.podSets): merge groups, or set ' +
  'the replicas of some to 0.';

/** Workloads by Kueue's own integrations have other labels, and Muster has to detect them. */
export const WORKLOAD_KIND: OwnedKind<KueueWorkload> = {
  resource: KUEUE_WORKLOADS,
  endsWithRun: false,
  isReplaceable: true,
  hasOtherLabels: true,
  hintOn: ({ field, reason }) =>
    field === 'spec.podSets' && reason === 'FieldValueTooMany' ? TOO_MANY_POD_SETS : undefined,
  trim: ({ metadata, spec, status }) => {
    const annotations = Object.entries(metadata?.annotations ?? {}).filter(([name]) => KEPT_ANNOTATIONS.includes(name));
    const podSets = spec?.podSets?.map(({ name, count }) => ({ name, ...(count !== undefined && { count }) }));
    return {
      metadata: {
        ...trimmedMeta(metadata).metadata,
        ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
      },
      ...(podSets && { spec: { podSets } }),
      ...(status && { status }),
    };
  },
};

export function kueuePermissions(): Permission[] {
  const { group, plural } = KUEUE_WORKLOADS;
  return [
    { group, resource: plural, verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
    { group, resource: `${plural}/status`, verbs: ['patch'] },
  ];
}

export function kueueClusterPermissions(): Permission[] {
  return Object.values(QUEUEING_RESOURCES).map(({ group, plural }) => ({
    group,
    resource: plural,
    verbs: ['list', 'watch'],
  }));
}

/** `own` are created by Muster, `foreign` by Kueue's integration. */
export function workloadsOf(
  job: Pick<TrainingJob, 'metadata'>,
  existing: readonly OwnedResource[],
): { readonly own: readonly OwnedResource[]; readonly foreign: OwnedResource | undefined } {
  const all = ownResources(job, existing).filter(({ kind }) => kind.resource === KUEUE_WORKLOADS);
  const isOwn = ({ object }: OwnedResource) => object.metadata?.annotations?.[ANNOTATIONS.template] !== undefined;
  return { own: all.filter(isOwn), foreign: all.find((each) => !isOwn(each)) };
}

/** True if the job may grow by a further Workload instead of being queued again. */
export function growsInSlices({ metadata }: Pick<TrainingJob, 'metadata'>): boolean {
  return metadata.annotations?.[SLICE_ANNOTATIONS.elastic] === 'true';
}

export function conditionOf({ status }: KueueWorkload, type: string): WorkloadCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function holds(workload: KueueWorkload, type: string): boolean {
  return conditionOf(workload, type)?.status === 'True';
}
