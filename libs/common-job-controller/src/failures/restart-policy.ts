/**
 * With Always and OnFailure the kubelet restarts containers in place. A failed *pod* then means that the node or the system ended it, so
 * the replica is recreated. With ExitCode the pod never restarts, and the exit code of the framework's container decides. Follows
 * kubeflow/training-operator, pkg/controller.v1/common/pod.go and pkg/util/train/train_util.go.
 */
import type { RestartPolicy } from '@muster/job-api';
import type { PodEnd } from '../pods/pod-end.ts';

/** Codes from 128 come from signals (128 + n), or the user chose them to mean "retry". */
const FIRST_RETRYABLE_EXIT_CODE = 128;

export interface PodFailure {
  /** Exit code of the framework's container. Undefined if it was not reported. */
  readonly exitCode: number | undefined;
  readonly end: PodEnd;
}

/** A failure that the program did not cause is recreated with every policy. */
export function isRestarted(policy: RestartPolicy, { exitCode, end }: PodFailure): boolean {
  if (end !== 'ProgramFailed') return true;
  switch (policy) {
    case 'Always':
    case 'OnFailure':
      return true;
    case 'Never':
      return false;
    case 'ExitCode':
      return exitCode === undefined || exitCode >= FIRST_RETRYABLE_EXIT_CODE;
  }
}

/** The pod's `restartPolicy`. With ExitCode or a failure policy Muster decides, so the kubelet must not restart. */
export function podRestartPolicy(policy: RestartPolicy, restartsAsPods = false): 'Always' | 'OnFailure' | 'Never' {
  return policy === 'ExitCode' || restartsAsPods ? 'Never' : policy;
}
