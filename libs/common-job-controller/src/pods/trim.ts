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
  const kept = Object.entries(metadata?.annotations ?? {}).filter(
    ([key]) => KEPT_ANNOTATIONS.has(key) || annotations.includes(key),
  );
  const conditions = (status?.conditions ?? []).filter(
    ({ type, status: holds }) =>
      READ_CONDITIONS.has(type) || (type === 'PodScheduled' && (isLeaving || holds === 'False')),
  );
  return {
    metadata: { ...trimmedMeta(metadata).metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
    ...(spec && { spec: trimSpec(spec, metadata?.name) }),
    status: {
      ...fieldsOf(status, isLeaving ? ['observedGeneration'] : []),
      ...fieldsOf(status, ['phase', 'startTime', 'podIP', 'reason', 'message']),
      conditions: conditions.map((condition) => ({
        type: condition.type,
        status: condition.status,
        ...fieldsOf(condition, condition.type === 'Ready' ? ['reason'] : ['reason', 'message', 'lastTransitionTime']),
      })),
      initContainerStatuses: (status?.initContainerStatuses ?? []).map(trimContainerStatus),
      containerStatuses: (status?.containerStatuses ?? []).map(trimContainerStatus),
    },
  };
}

/** The fields that have a value. A missing time is null. */
export function fieldsOf<T extends object, Field extends keyof T>(
  object: T | undefined,
  names: readonly Field[],
): Partial<Pick<T, Field>> {
  const fields: Partial<Pick<T, Field>> = {};
  for (const name of names) {
    const value = object?.[name];
    if (value !== undefined && value !== null && value !== '') fields[name] = value;
  }
  return fields;
}

function trimSpec(spec: PodSpec & { schedulingGroup?: object }, name: string | undefined): PodSpec {
  const { hostname, initContainers = [] } = spec;
  const sidecars = initContainers.filter((container) => container.restartPolicy === 'Always');
  return {
    containers: [],
    ...fieldsOf(spec, ['nodeName', 'subdomain', 'schedulingGroup', 'restartPolicy']),
    // Usually equal to the pod's name, which is kept.
    ...(hostname && hostname !== name && { hostname }),
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
  const isLeaving = metadata?.deletionTimestamp !== undefined;
  return {
    metadata: {
      ...fieldsOf(metadata, ['name', 'namespace', 'uid', 'resourceVersion', 'labels', 'ownerReferences']),
      ...fieldsOf(metadata, ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds']),
      ...fieldsOf(metadata, isLeaving ? ['generation'] : []),
    },
  };
}
