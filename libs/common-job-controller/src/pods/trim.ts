/**
 * The caches keep only fields that planning reads, a few kilobytes per pod. Each field must be listed here; `trim.spec.ts` checks that a
 * trimmed World gives the same plan.
 */
import {
  ANNOTATIONS,
  type ContainerStatus,
  type KubeObject,
  type ObjectMeta,
  type Pod,
  type PodSpec,
  type Service,
} from '@muster/job-api';
import type { ObservedGeneration } from './replica-pods.ts';

const READ_CONDITIONS: ReadonlySet<string> = new Set(['Ready', 'DisruptionTarget', 'AllContainersRestarting']);

const KEPT_ANNOTATIONS: ReadonlySet<string> = new Set([ANNOTATIONS.failures, ANNOTATIONS.inPlace]);

/** @param annotations keys that planning reads in addition: the framework's `podAnnotations` */
export function trimPod(
  { metadata, spec, status }: Pod & { readonly status?: ObservedGeneration },
  annotations: readonly string[] = [],
): Pod {
  const isLeaving = metadata?.deletionTimestamp !== undefined;
  return {
    ...withAnnotations(trimmedMeta(metadata), metadata?.annotations, annotations),
    ...(spec && { spec: trimSpec(spec, metadata?.name) }),
    status: {
      ...(isLeaving && status?.observedGeneration !== undefined && { observedGeneration: status.observedGeneration }),
      ...(isLeaving && status?.startTime && { startTime: status.startTime }),
      ...(status?.phase && { phase: status.phase }),
      ...(status?.podIP && { podIP: status.podIP }),
      ...(status?.reason && { reason: status.reason }),
      ...(status?.message && { message: status.message }),
      conditions: (status?.conditions ?? [])
        .filter(
          ({ type, status: holds }) =>
            READ_CONDITIONS.has(type) || (type === 'PodScheduled' && (isLeaving || holds === 'False')),
        )
        .map(({ type, status: holds, reason, message, lastTransitionTime }) => ({
          type,
          status: holds,
          ...(reason && { reason }),
          ...(message && type !== 'Ready' && { message }),
          ...(lastTransitionTime && type !== 'Ready' && { lastTransitionTime }),
        })),
      initContainerStatuses: (status?.initContainerStatuses ?? []).map(trimContainerStatus),
      containerStatuses: (status?.containerStatuses ?? []).map(trimContainerStatus),
    },
  };
}

function withAnnotations(
  { metadata }: ReturnType<typeof trimmedMeta>,
  all: ObjectMeta['annotations'] = {},
  keys: readonly string[],
) {
  const kept = Object.entries(all).filter(([key]) => KEPT_ANNOTATIONS.has(key) || keys.includes(key));
  return { metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) } };
}

function trimSpec(spec: PodSpec & { schedulingGroup?: object }, name: string | undefined): PodSpec {
  const { nodeName, hostname, subdomain, restartPolicy, initContainers = [], schedulingGroup } = spec;
  const sidecars = initContainers.filter((container) => container.restartPolicy === 'Always');
  return {
    containers: [],
    ...(nodeName && { nodeName }),
    // Usually equal to the pod's name, which is kept.
    ...(hostname && hostname !== name && { hostname }),
    ...(subdomain && { subdomain }),
    ...(schedulingGroup && { schedulingGroup }),
    ...(restartPolicy && { restartPolicy }),
    ...(sidecars.length > 0 && { initContainers: sidecars.map(({ name }) => ({ name, restartPolicy: 'Always' })) }),
  };
}

export function trimService({ metadata, spec }: Service): Service {
  return { ...trimmedMeta(metadata), ...(spec?.selector && { spec: { selector: spec.selector } }) };
}

function trimContainerStatus({ name, state, lastState, restartCount }: ContainerStatus): ContainerStatus {
  const before = lastState?.terminated && { lastState: { terminated: lastState.terminated } };
  return { name, restartCount, ...(state && { state }), ...before, ready: false, image: '', imageID: '' };
}

export function trimmedMeta(metadata: ObjectMeta | undefined): { metadata: NonNullable<KubeObject['metadata']> } {
  const { name, namespace, uid, resourceVersion, labels, ownerReferences } = metadata ?? {};
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = metadata ?? {};
  return {
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(labels && { labels }),
      ...(ownerReferences && { ownerReferences }),
      ...(creationTimestamp && { creationTimestamp }),
      ...(deletionTimestamp && { deletionTimestamp, ...(generation !== undefined && { generation }) }),
      ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
    },
  };
}
