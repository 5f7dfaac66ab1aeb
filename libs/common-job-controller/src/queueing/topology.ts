/** Kueue's topology-aware scheduling. Kueue sets the node labels itself when it removes the scheduling gate. */
import type { PodTemplateSpec } from '@muster/job-api';
import { KUEUE_GROUP, type KueueWorkload, type PodSetAssignment, type TemplateUpdate } from './kueue-objects.ts';

const REQUIRED = `${KUEUE_GROUP}/podset-required-topology`;
const PREFERRED = `${KUEUE_GROUP}/podset-preferred-topology`;
const UNCONSTRAINED = `${KUEUE_GROUP}/podset-unconstrained-topology`;
const SLICE_TOPOLOGY = `${KUEUE_GROUP}/podset-slice-required-topology`;
const SLICE_SIZE = `${KUEUE_GROUP}/podset-slice-size`;
const GROUP_NAME = `${KUEUE_GROUP}/podset-group-name`;

/**
 * With `podIndexLabel`, Kueue places neighbouring ranks close together. Invalid values are passed on as given: the API server rejects them
 * with a reason.
 */
export function topologyRequestOf(
  { metadata }: PodTemplateSpec,
  podIndexLabel: string | undefined,
): object | undefined {
  const { annotations = {} } = metadata ?? {};
  const level = levelOf(annotations);
  const { [SLICE_TOPOLOGY]: slice, [SLICE_SIZE]: size, [GROUP_NAME]: group } = annotations;
  const isSliced = slice !== undefined && size !== undefined;
  if (level === undefined && !isSliced) return undefined;
  const mayBeGrouped = level !== undefined && level.unconstrained === undefined;
  return {
    ...level,
    ...(isSliced && { podSetSliceRequiredTopology: slice, podSetSliceSize: /^\d+$/.test(size) ? Number(size) : size }),
    ...(group !== undefined && mayBeGrouped && { podSetGroupName: group }),
    ...(podIndexLabel !== undefined && { podIndexLabel }),
  };
}

/** The first annotation takes precedence, as in Kueue. */
function levelOf(annotations: Readonly<Record<string, string>>) {
  const { [REQUIRED]: required, [PREFERRED]: preferred, [UNCONSTRAINED]: unconstrained } = annotations;
  if (required !== undefined) return { required };
  if (preferred !== undefined) return { preferred };
  if (unconstrained === undefined) return undefined;
  return { unconstrained: { true: true, false: false }[unconstrained] ?? unconstrained };
}

export function givenForTopology(
  { metadata }: KueueWorkload,
  { name, topologyAssignment }: PodSetAssignment,
  template: PodTemplateSpec,
): TemplateUpdate | undefined {
  if (topologyAssignment === undefined) return undefined;
  const annotations = template.metadata?.annotations ?? {};
  const hasRequest = [REQUIRED, PREFERRED, UNCONSTRAINED].some((annotation) => annotations[annotation] !== undefined);
  return {
    labels: { [`${KUEUE_GROUP}/podset`]: name },
    annotations: {
      [`${KUEUE_GROUP}/workload`]: metadata?.name ?? '',
      // Kueue ignores pods without a topology annotation, e.g. if only the flavor has a topology.
      ...(!hasRequest && { [UNCONSTRAINED]: 'true' }),
    },
    schedulingGates: [{ name: `${KUEUE_GROUP}/topology` }],
  };
}
