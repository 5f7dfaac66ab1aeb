import type { FailureClass, JobFailure, Pod } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import { disruptionOf } from '../pods/pod-end.ts';
import { endedUnderDeletion } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { startProblemOf } from '../pods/waiting-pods.ts';
import { attemptOn } from '../model/attempt.ts';
import { isRestartingInPlace } from '../pods/in-place.ts';
import { badEndOf, endedAt } from '../pods/container-end.ts';
import { errorMessage, errorOf, type LastOutput } from '@muster/program-output';
import { failedContainer } from '../pods/failed-container.ts';
import { lostPeer } from './first-failure.ts';
import { podFailure } from './pod-failure.ts';
import { signalOf } from './signals.ts';

type What = Pick<JobFailure, 'class' | 'time'> & Partial<JobFailure>;

/** Also for a replica that runs again after the kubelet restarted its container. Undefined if the pod ended because a user deleted it. */
export function failureOf(replica: ReplicaPod): JobFailure | undefined {
  const { pod, role } = replica;
  // Until the containers restart, their statuses show the previous attempt.
  if (pod === undefined || isRestartingInPlace(pod, role.containerName)) return undefined;
  const disruption = disruptionOf(pod);
  const isDeleted = pod.metadata?.deletionTimestamp !== undefined && disruption === undefined;
  if (
    isDeleted &&
    (validTime(endOfMain(pod, role.containerName)) === undefined || endedUnderDeletion(pod, role.containerName))
  )
    return undefined;
  if (wasEndedAsWhole(pod)) {
    const { reason = disruption?.reason, message } = pod.status ?? {};
    const errorText = errorOf((message === undefined ? disruption : pod.status) ?? {});
    return of(replica, {
      class: podFailure(pod)?.class ?? 'Evicted',
      ...(reason !== undefined && { reason }),
      time: validTime(disruption?.lastTransitionTime) ?? endedAt(pod),
      ...(errorText !== undefined && { message: errorText }),
    });
  }
  const container = failedContainer(pod, role.containerName);
  const end = container && badEndOf(pod, container);
  if (container === undefined || end === undefined) return undefined;
  const errorText = errorOf(end);
  const signal = signalOf(end.exitCode);
  return of(replica, {
    class: classOf(end),
    time: validTime(end.finishedAt) ?? endedAt(pod),
    container: container.name,
    exitCode: end.exitCode,
    ...(signal !== undefined && { signal }),
    ...(end.reason !== undefined && { reason: end.reason }),
    ...(errorText !== undefined && { message: errorText }),
  });
}

export function troubleOnRecord(replica: ReplicaPod): JobFailure | undefined {
  const { pod } = replica;
  const trouble = pod && startProblemOf(pod);
  if (pod === undefined || trouble === undefined) return undefined;
  const what = START_ERRORS.get(trouble.reason);
  if (what === undefined) return undefined;
  const errorText = errorMessage(trouble.message);
  return of(replica, {
    class: what,
    reason: trouble.reason,
    time: pod.metadata?.creationTimestamp ?? '',
    ...(trouble.container !== undefined && { container: trouble.container }),
    ...(errorText !== undefined && { message: errorText }),
  });
}

export function isStartProblem({ reason = '' }: JobFailure): boolean {
  return START_ERRORS.has(reason);
}

/** Errors of the kubelet that prevent a start. A pod that waits for a node has not failed. */
const START_ERRORS: ReadonlyMap<string, FailureClass> = new Map([
  ['ErrImagePull', 'Image'],
  ['ImagePullBackOff', 'Image'],
  ['ErrImageNeverPull', 'Image'],
  ['InvalidImageName', 'Image'],
  ['ImageInspectError', 'Image'],
  ['SignatureValidationFailed', 'Image'],
  ['CreateContainerConfigError', 'Refused'],
  ['CreateContainerError', 'Refused'],
]);

function endOfMain({ status }: Pod, main: string): string | undefined {
  return status?.containerStatuses?.find(({ name }) => name === main)?.state?.terminated?.finishedAt;
}

/** Exit codes of containers are a consequence then. */
function wasEndedAsWhole(pod: Pod): boolean {
  const { phase, reason } = pod.status ?? {};
  return disruptionOf(pod) !== undefined || (phase === 'Failed' && reason !== undefined);
}

function classOf(end: LastOutput & { readonly reason?: string }): FailureClass {
  if (end.reason === 'OOMKilled') return 'OutOfMemory';
  return lostPeer(end) ? 'Cascade' : 'Program';
}

function of({ role, index, pod }: ReplicaPod, what: What): JobFailure {
  const { nodeName } = pod?.spec ?? {};
  return {
    ...{ role: role.name, index, pod: pod?.metadata?.name ?? '' },
    ...(nodeName !== undefined && { node: nodeName }),
    attempt: pod === undefined ? 0 : attemptOn(pod),
    ...what,
  };
}

function validTime(time: string | undefined): string | undefined {
  return momentOf(time) === undefined ? undefined : time;
}
