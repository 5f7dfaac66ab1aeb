/**
 * What happens to a replica whose pod has failed.
 *
 * With Always and OnFailure the kubelet restarts containers in place, so a failed *pod* means that the node or the
 * system ended it: the replica is recreated. With ExitCode the pod itself never restarts, and the code of the
 * framework's container decides. Follows kubeflow/training-operator, pkg/controller.v1/common/pod.go and
 * pkg/util/train/train_util.go.
 */
import type { RestartPolicy } from '@muster/job-api';
import type { PodEnd } from '../pods/pod-end.ts';

/** Codes from here on come from signals (128 + n), or were chosen by the user to mean "try again". */
const FIRST_RETRYABLE_EXIT_CODE = 128;

export interface PodFailure {
  /** How the framework's container ended; undefined when nobody saw it. */
  readonly exitCode: number | undefined;
  readonly end: PodEnd;
}

/** Whether a failed replica is recreated. What is no failure of the program, no policy forbids to make good. */
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

/** What the pod's own `restartPolicy` has to be. ExitCode is the engine's matter, as is a failure policy, so the kubelet must not restart. */
export function podRestartPolicy(policy: RestartPolicy, restartsAsPods = false): 'Always' | 'OnFailure' | 'Never' {
  return policy === 'ExitCode' || restartsAsPods ? 'Never' : policy;
}
