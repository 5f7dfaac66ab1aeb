/** `launcherOnMaster` of v1alpha1: the launcher runs on a control plane node. */
import type { PodSpec } from '@muster/job-api';

type NodeAffinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>;
type NodeSelector = NonNullable<NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']>;
type NodeSelectorTerm = NodeSelector['nodeSelectorTerms'][number];

/** The old and the current label of control plane nodes. */
const ROLES = ['node-role.kubernetes.io/master', 'node-role.kubernetes.io/control-plane'];

/** Added to the template's own constraints; upstream replaces them. */
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

/** Terms are alternatives, and the expressions of a term all have to match. */
function ofControlPlane({ matchExpressions = [], ...term }: NodeSelectorTerm): NodeSelectorTerm[] {
  return ROLES.map((key) => ({ ...term, matchExpressions: [...matchExpressions, { key, operator: 'Exists' }] }));
}
