/** The PodGroups of the gang schedulers: which pods have to start together, and what they need. */
import type { KubeObject, Resource } from './kubernetes.ts';

/** Amounts by resource name, in Kubernetes' quantities. */
export type ResourceAmounts = Readonly<Record<string, string | number>>;

export interface VolcanoPodGroupCondition {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

/**
 * A PodGroup of Volcano. It has no status subresource: replacing the object removes the status that the scheduler
 * wrote.
 */
export interface VolcanoPodGroup extends KubeObject {
  spec?: {
    minMember?: number;
    queue?: string;
    priorityClassName?: string;
    /** By task: the value of the pod annotation `volcano.sh/task-spec`. */
    minTaskMember?: Record<string, number>;
    minResources?: ResourceAmounts;
    networkTopology?: { mode?: string; highestTierAllowed?: number };
  };
  status?: {
    /** Pending, Inqueue, Running, Unknown or Completed. */
    phase?: string;
    conditions?: readonly VolcanoPodGroupCondition[];
  };
}

export const VOLCANO_POD_GROUPS: Resource<VolcanoPodGroup> = {
  group: 'scheduling.volcano.sh',
  version: 'v1beta1',
  kind: 'PodGroup',
  plural: 'podgroups',
  namespaced: true,
};

/** A PodGroup of Kubernetes itself: the fields that v1alpha2 (1.36), v1alpha3 and v1beta1 (1.37) have in common. */
export interface NativePodGroup extends KubeObject {
  spec?: {
    schedulingPolicy?: { gang?: { minCount?: number } };
    /** Kept only with the feature gate WorkloadAwarePreemption. */
    priorityClassName?: string;
    /** Kept only with the feature gate TopologyAwareWorkloadScheduling. */
    schedulingConstraints?: { topology?: readonly { key: string }[] };
  };
  status?: {
    conditions?: readonly { type?: string; status?: string; reason?: string; message?: string }[];
  };
}

export const NATIVE_POD_GROUPS: Resource<NativePodGroup> = {
  group: 'scheduling.k8s.io',
  version: 'v1beta1',
  otherVersions: ['v1alpha3', 'v1alpha2'],
  kind: 'PodGroup',
  plural: 'podgroups',
  namespaced: true,
};

/** A PodGroup of the plugin Coscheduling of kubernetes-sigs/scheduler-plugins. */
export interface CoschedulingPodGroup extends KubeObject {
  spec?: {
    minMember?: number;
    minResources?: ResourceAmounts;
    scheduleTimeoutSeconds?: number;
  };
}

export const COSCHEDULING_POD_GROUPS: Resource<CoschedulingPodGroup> = {
  group: 'scheduling.x-k8s.io',
  version: 'v1alpha1',
  kind: 'PodGroup',
  plural: 'podgroups',
  namespaced: true,
};
