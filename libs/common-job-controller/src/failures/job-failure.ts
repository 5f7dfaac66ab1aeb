import { containerNamed, type FailureClass, type JobFailure, momentOf } from '@muster/job-api';
import { defined } from '../model/defined.ts';
import { disruptionOf } from '../pods/pod-end.ts';
import { endedUnderDeletion } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { startProblemOf } from '../pods/waiting-pods.ts';
import { attemptOn } from '../model/attempt.ts';
import { isRestartingInPlace } from '../pods/in-place.ts';
import { badEndOf, endedAt, failedContainer } from '../pods/container-end.ts';
import { errorMessage, errorOf } from '@muster/program-output';
import { lostPeer } from './first-failure.ts';
import { podFailure } from './pod-failure.ts';
import { signalOf } from './signals.ts';

/** Also for a replica that runs again after the kubelet restarted its container. Undefined if the pod ended because a user deleted it. */
export function failureOf(replica: ReplicaPod): JobFailure | undefined {
  const { pod, role } = replica;
  // Until the containers restart, their statuses show the previous attempt.
  if (pod === undefined || isRestartingInPlace(pod, role.containerName)) return undefined;
  const disruption = disruptionOf(pod);
  const isDeleted = pod.metadata?.deletionTimestamp !== undefined && disruption === undefined;
  const mainEnd = containerNamed(role.containerName, pod)?.state?.terminated?.finishedAt;
  if (isDeleted && (validTime(mainEnd) === undefined || endedUnderDeletion(pod, role.containerName))) return undefined;
  const { phase, reason = disruption?.reason, message } = pod.status ?? {};
  // Exit codes of containers are a consequence if the pod was ended as a whole.
  if (disruption !== undefined || (phase === 'Failed' && reason !== undefined)) {
    return failureRecord(replica, {
      class: podFailure(pod)?.class ?? 'Evicted',
      reason,
      time: validTime(disruption?.lastTransitionTime) ?? endedAt(pod),
      message: errorOf((message === undefined ? disruption : pod.status) ?? {}),
    });
  }
  const container = failedContainer(pod, role.containerName);
  const end = container && badEndOf(pod, container);
  if (container === undefined || end === undefined) return undefined;
  const ownClass = lostPeer(end) ? 'Cascade' : 'Program';
  return failureRecord(replica, {
    class: end.reason === 'OOMKilled' ? 'OutOfMemory' : ownClass,
    time: validTime(end.finishedAt) ?? endedAt(pod),
    container: container.name,
    exitCode: end.exitCode,
    signal: signalOf(end.exitCode),
    reason: end.reason,
    message: errorOf(end),
  });
}

export function startFailureOf(replica: ReplicaPod): JobFailure | undefined {
  const { reason = '', message = '', container, pod } = (replica.pod && startProblemOf(replica.pod)) ?? {};
  const failureClass = START_ERRORS.get(reason);
  if (failureClass === undefined) return undefined;
  const time = pod?.metadata?.creationTimestamp ?? '';
  return failureRecord(replica, { class: failureClass, reason, time, container, message: errorMessage(message) });
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

type Found = Pick<JobFailure, 'class' | 'time'> & {
  readonly [Field in keyof JobFailure]?: JobFailure[Field] | undefined;
};

export function failureRecord(
  { role, index, pod }: ReplicaPod,
  { class: failureClass, time, ...found }: Found,
): JobFailure {
  return {
    ...{ role: role.name, index, pod: pod?.metadata?.name ?? '', attempt: pod === undefined ? 0 : attemptOn(pod) },
    ...{ class: failureClass, time },
    ...defined({ node: pod?.spec?.nodeName, ...found }),
  };
}

function validTime(time: string | undefined): string | undefined {
  return momentOf(time) === undefined ? undefined : time;
}
