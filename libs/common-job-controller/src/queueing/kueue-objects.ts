/** The part of Kueue's API (0.15 and later) that Muster uses to create the Workloads of its jobs itself. */
import { ANNOTATIONS, type KubeObject, type PodTemplateSpec, type Resource } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import type { Permission } from '../model/permission.ts';
import { ownResources, type OwnedKind, type OwnedResource } from '../model/owned-resources.ts';
import { trimmedMeta } from '../pods/trim.ts';
import type { Tolerations, ResourceFlavor, PriorityClassObject } from '../model/queueing-objects.ts';

export const KUEUE_GROUP = 'kueue.x-k8s.io';
const VERSION = 'v1beta2';

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
const KEPT_ANNOTATIONS = [ANNOTATIONS.template, SLICE_ANNOTATIONS.replaces];

/** Invalid values are passed on as given, for the API server to reject. */
export interface TopologyRequest {
  readonly required?: string;
  readonly preferred?: string;
  readonly unconstrained?: boolean | string;
  readonly podSetSliceRequiredTopology?: string;
  readonly podSetSliceSize?: number | string;
  readonly podSetGroupName?: string;
  readonly podIndexLabel?: string;
}

export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly minCount?: number;
  readonly topologyRequest?: TopologyRequest;
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

interface PodSetUpdate {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: Tolerations;
}

export interface AdmissionCheck {
  readonly name?: string;
  readonly state?: string;
  readonly message?: string;
  readonly podSetUpdates?: readonly PodSetUpdate[];
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

export const KUEUE_WORKLOADS: Resource<KueueWorkload> = {
  group: KUEUE_GROUP,
  version: VERSION,
  kind: 'Workload',
  plural: 'workloads',
  namespaced: true,
};

export const RESOURCE_FLAVORS: Resource<ResourceFlavor> = {
  group: KUEUE_GROUP,
  version: VERSION,
  kind: 'ResourceFlavor',
  plural: 'resourceflavors',
  namespaced: false,
};

export const WORKLOAD_PRIORITY_CLASSES: Resource<PriorityClassObject> = {
  group: KUEUE_GROUP,
  version: VERSION,
  kind: 'WorkloadPriorityClass',
  plural: 'workloadpriorityclasses',
  namespaced: false,
};

export const PRIORITY_CLASSES: Resource<PriorityClassObject> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
};

export const QUEUEING_RESOURCES = [RESOURCE_FLAVORS, WORKLOAD_PRIORITY_CLASSES, PRIORITY_CLASSES] as const;

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
    const annotations = KEPT_ANNOTATIONS.flatMap((name) => {
      const value = metadata?.annotations?.[name];
      return value === undefined ? [] : [[name, value] as const];
    });
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
  return QUEUEING_RESOURCES.map(({ group, plural }) => ({ group, resource: plural, verbs: ['list', 'watch'] }));
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
