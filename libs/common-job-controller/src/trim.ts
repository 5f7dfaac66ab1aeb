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

/** Read whether they hold or not. */
const READ_CONDITIONS: ReadonlySet<string> = new Set(['Ready', 'DisruptionTarget']);

export function trimPod({ metadata, spec, status }: Pod): Pod {
  return {
    ...withHosts(trimmedMeta(metadata), metadata?.annotations?.[ANNOTATIONS.hosts]),
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

/** The one annotation of a pod that planning reads. */
function withHosts({ metadata }: ReturnType<typeof trimmedMeta>, hosts: string | undefined) {
  return { metadata: { ...metadata, ...(hosts !== undefined && { annotations: { [ANNOTATIONS.hosts]: hosts } }) } };
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
