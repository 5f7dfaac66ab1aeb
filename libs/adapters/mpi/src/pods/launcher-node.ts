/** `launcherOnMaster` of v1alpha1: the launcher runs on a node of the control plane. */
import type { PodSpec } from '@muster/job-api';

type NodeAffinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>;
type NodeSelector = NonNullable<NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']>;
type NodeSelectorTerm = NodeSelector['nodeSelectorTerms'][number];

/** The old label of control planes, and the one that clusters of today have. */
const ROLES = ['node-role.kubernetes.io/master', 'node-role.kubernetes.io/control-plane'];

/** What the template asks of nodes holds as well, where upstream replaces it. */
export function onControlPlane(spec: PodSpec): PodSpec {
  const { affinity, tolerations = [] } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    ...spec,
    tolerations: [...tolerations, ...ROLES.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }))],
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: (required?.nodeSelectorTerms ?? [{}]).flatMap(ofControlPlane),
        },
      },
    },
  };
}

/** A node has to satisfy one term, with all that it says. */
function ofControlPlane({ matchExpressions = [], ...term }: NodeSelectorTerm): NodeSelectorTerm[] {
  return ROLES.map((key) => ({ ...term, matchExpressions: [...matchExpressions, { key, operator: 'Exists' }] }));
}
