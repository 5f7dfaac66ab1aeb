/** Whether a cluster has the spec that its RayService wants, and how an existing one follows it. */
import type { RayCluster, RayClusterSpec } from '@muster/job-api';
import { KUBERAY_VERSION, RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { serviceSpecHash } from '../recreate-hash.ts';

/** `Appended`: only worker groups at the end are missing, so they can be added to the running cluster. */
export type GoalMatch = 'Same' | 'Appended' | 'Different';

export function matchOf(cluster: RayCluster, goal: RayClusterSpec): GoalMatch {
  const { hash, groups } = originOf(cluster);
  if (serviceSpecHash(goal) === hash) return 'Same';
  const isLonger = (goal.workerGroupSpecs ?? []).length > groups;
  return isLonger && serviceSpecHash(goal, groups) === hash ? 'Appended' : 'Different';
}

/** On a cluster that has the spec `goal`. */
export function goalAnnotations(goal: RayClusterSpec): Record<string, string> {
  return {
    [RAY_ANNOTATIONS.specHash]: serviceSpecHash(goal),
    [RAY_ANNOTATIONS.workerGroups]: String((goal.workerGroupSpecs ?? []).length),
    [RAY_ANNOTATIONS.kuberayVersion]: KUBERAY_VERSION,
  };
}

/** The hash of KubeRay cannot be computed here, so its clusters are compared by their spec. */
function originOf({ metadata, spec }: RayCluster): { readonly hash: string; readonly groups: number } {
  const {
    [RAY_ANNOTATIONS.specHash]: hash,
    [RAY_ANNOTATIONS.workerGroups]: groups = '',
    [RAY_ANNOTATIONS.kuberayVersion]: version,
  } = metadata?.annotations ?? {};
  if (version === KUBERAY_VERSION && hash !== undefined && /^\d+$/.test(groups))
    return { hash, groups: Number(groups) };
  return { hash: serviceSpecHash(spec), groups: (spec.workerGroupSpecs ?? []).length };
}

/**
 * Changes of a running cluster that matches its goal: sizes, added groups, a suspension. Undefined: none. The number of
 * workers belongs to the autoscaler, if there is one.
 */
export function followedSpec(cluster: RayClusterSpec, goal: RayClusterSpec): Partial<RayClusterSpec> | undefined {
  const [existing, wanted] = [cluster.workerGroupSpecs ?? [], goal.workerGroupSpecs ?? []];
  const groups = wanted.map((group, index) => {
    const current = existing[index];
    if (current === undefined) return group;
    const { replicas, minReplicas, maxReplicas } = group;
    const sizes = {
      ...(minReplicas !== undefined && { minReplicas }),
      ...(maxReplicas !== undefined && { maxReplicas }),
      ...(cluster.enableInTreeAutoscaling !== true && replicas !== undefined && { replicas }),
    };
    return { ...current, ...sizes };
  });
  const isResized = JSON.stringify(groups) !== JSON.stringify(existing);
  const isToggled = goal.suspend !== undefined && goal.suspend !== (cluster.suspend ?? false);
  if (!isResized && !isToggled) return undefined;
  return { ...(isResized && { workerGroupSpecs: groups }), ...(isToggled && { suspend: goal.suspend }) };
}
