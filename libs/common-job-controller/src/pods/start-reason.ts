import { containersOf, type ContainerStatus, type Pod } from '@muster/job-api';
import { WAITING_REASONS } from '@muster/metrics';
import { isCrashLoop } from './crash-loop.ts';
import type { WaitingReason } from '../model/wait.ts';

const ORDER = Object.keys(WAITING_REASONS) as WaitingReason[];

export function isWaitingReason(reason: string): reason is WaitingReason {
  return Object.hasOwn(WAITING_REASONS, reason);
}

export function firstOf(reasons: ReadonlySet<WaitingReason | undefined>): WaitingReason | undefined {
  return ORDER.find((reason) => reasons.has(reason));
}

/** Waiting reasons of kubelets about images (kubernetes, pkg/kubelet/images/types.go). */
const IMAGE_REASONS: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'ImageInspectError',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

/** Undefined for a pod that runs or is about to. */
export function startReason(pod: Pod): WaitingReason | undefined {
  const unplaced = pod.status?.conditions?.find(
    ({ type, status: holds }) => type === 'PodScheduled' && holds === 'False',
  );
  if (unplaced?.reason === 'SchedulingGated') return 'SchedulingGated';
  if (unplaced?.reason === 'Unschedulable') return 'Unschedulable';
  return firstOf(new Set(containersOf(pod).map(containerReason)));
}

/** A container that is about to start waits without a message. */
function containerReason({ state }: ContainerStatus): WaitingReason | undefined {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (IMAGE_REASONS.has(reason)) return 'Image';
  if (isCrashLoop(reason)) return 'CrashLoop';
  return reason !== '' && message !== '' ? 'Container' : undefined;
}
