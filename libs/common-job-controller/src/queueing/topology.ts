/**
 * Topology-aware scheduling of Kueue: what a role asks for by the annotations of its pod template, and by what Kueue finds the pods
 * that it places. Where each pod goes Kueue says itself: it adds the node labels when it takes the gate away.
 */
import type { PodTemplateSpec } from '@muster/job-api';
import { KUEUE_GROUP, type KueueWorkload, type PodSetAssignment, type TopologyRequest } from './kueue-objects.ts';

const REQUIRED = `${KUEUE_GROUP}/podset-required-topology`;
const PREFERRED = `${KUEUE_GROUP}/podset-preferred-topology`;
const UNCONSTRAINED = `${KUEUE_GROUP}/podset-unconstrained-topology`;
const SLICE_TOPOLOGY = `${KUEUE_GROUP}/podset-slice-required-topology`;
const SLICE_SIZE = `${KUEUE_GROUP}/podset-slice-size`;
const GROUP_NAME = `${KUEUE_GROUP}/podset-group-name`;

/** Undefined where the template asks for nothing. `podIndexLabel` has pods of neighbouring ranks placed near to one another. */
export function topologyRequestOf(
  { metadata }: PodTemplateSpec,
  podIndexLabel: string | undefined,
): TopologyRequest | undefined {
  const { annotations = {} } = metadata ?? {};
  const level = levelOf(annotations);
  const { [SLICE_TOPOLOGY]: slice, [SLICE_SIZE]: size, [GROUP_NAME]: group } = annotations;
  const isSliced = slice !== undefined && size !== undefined;
  if (level === undefined && !isSliced) return undefined;
  const mayBeGrouped = level !== undefined && level.unconstrained === undefined;
  return {
    ...level,
    ...(isSliced && { podSetSliceRequiredTopology: slice, podSetSliceSize: numberIn(size) }),
    ...(group !== undefined && mayBeGrouped && { podSetGroupName: group }),
    ...(podIndexLabel !== undefined && { podIndexLabel }),
  };
}

/** The first of them counts, as with Kueue. */
function levelOf(annotations: Readonly<Record<string, string>>): TopologyRequest | undefined {
  const { [REQUIRED]: required, [PREFERRED]: preferred, [UNCONSTRAINED]: unconstrained } = annotations;
  if (required !== undefined) return { required };
  if (preferred !== undefined) return { preferred };
  return unconstrained === undefined ? undefined : { unconstrained: booleanIn(unconstrained) };
}

/** What is no boolean or number goes on as it is: the API server refuses it and says why. */
function booleanIn(text: string): boolean | string {
  return { true: true, false: false }[text] ?? text;
}

function numberIn(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** What the pods of a role need that was assigned a topology; undefined without one. */
export function givenForTopology(
  { metadata }: KueueWorkload,
  { name, topologyAssignment }: PodSetAssignment,
  template: PodTemplateSpec,
) {
  if (topologyAssignment === undefined) return undefined;
  const asked = template.metadata?.annotations ?? {};
  const says = [REQUIRED, PREFERRED, UNCONSTRAINED].some((annotation) => asked[annotation] !== undefined);
  return {
    labels: { [`${KUEUE_GROUP}/podset`]: name },
    annotations: {
      [`${KUEUE_GROUP}/workload`]: metadata?.name ?? '',
      // Kueue passes over pods that say nothing of a topology, as they do where the flavor alone brings it.
      ...(!says && { [UNCONSTRAINED]: 'true' }),
    },
    schedulingGates: [{ name: `${KUEUE_GROUP}/topology` }],
  };
}
