/**
 * What the caches keep of pods and Services: the fields that planning reads. A cached pod so costs a few kilobytes
 * whatever its template holds. Every field read in this package must be listed here; `trim.spec.ts` sees to it that a
 * trimmed World is planned like a whole one.
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

/** Of a pod. */
const READ_ANNOTATIONS: ReadonlySet<string> = new Set([ANNOTATIONS.hosts, ANNOTATIONS.failures]);

/** Read whether they hold or not. */
const READ_CONDITIONS: ReadonlySet<string> = new Set(['Ready', 'DisruptionTarget']);

export function trimPod({ metadata, spec, status }: Pod): Pod {
  return {
    ...withAnnotations(trimmedMeta(metadata), metadata?.annotations),
    ...(spec && { spec: trimSpec(spec) }),
    status: {
      ...(status?.phase && { phase: status.phase }),
      ...(status?.reason && { reason: status.reason }),
      ...(status?.message && { message: status.message }),
      conditions: (status?.conditions ?? [])
        .filter(
          ({ type, status: holds }) => READ_CONDITIONS.has(type) || (type === 'PodScheduled' && holds === 'False'),
        )
        .map(({ type, status: holds, reason, message }) => ({
          type,
          status: holds,
          ...(reason && { reason }),
          ...(message && type !== 'Ready' && { message }),
        })),
      initContainerStatuses: (status?.initContainerStatuses ?? []).map(trimContainerStatus),
      containerStatuses: (status?.containerStatuses ?? []).map(trimContainerStatus),
    },
  };
}

function withAnnotations({ metadata }: ReturnType<typeof trimmedMeta>, annotations: ObjectMeta['annotations']) {
  const read = Object.entries(annotations ?? {}).filter(([name]) => READ_ANNOTATIONS.has(name));
  return { metadata: { ...metadata, ...(read.length > 0 && { annotations: Object.fromEntries(read) }) } };
}

function trimSpec({ subdomain, restartPolicy, initContainers = [] }: PodSpec): PodSpec {
  const sidecars = initContainers.filter((container) => container.restartPolicy === 'Always');
  return {
    containers: [],
    ...(subdomain && { subdomain }),
    ...(restartPolicy && { restartPolicy }),
    ...(sidecars.length > 0 && { initContainers: sidecars.map(({ name }) => ({ name, restartPolicy: 'Always' })) }),
  };
}

export function trimService({ metadata }: Service): Service {
  return trimmedMeta(metadata);
}

function trimContainerStatus({ name, state, lastState, restartCount }: ContainerStatus): ContainerStatus {
  const before = lastState?.terminated && { lastState: { terminated: lastState.terminated } };
  return { name, restartCount, ...(state && { state }), ...before, ready: false, image: '', imageID: '' };
}

export function trimmedMeta(metadata: ObjectMeta | undefined): { metadata: NonNullable<KubeObject['metadata']> } {
  const { name, namespace, uid, resourceVersion, labels, ownerReferences } = metadata ?? {};
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {};
  return {
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(labels && { labels }),
      ...(ownerReferences && { ownerReferences }),
      ...(creationTimestamp && { creationTimestamp }),
      ...(deletionTimestamp && { deletionTimestamp }),
      ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
    },
  };
}
