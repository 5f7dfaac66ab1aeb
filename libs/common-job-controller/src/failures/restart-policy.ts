/**
 * With Always and OnFailure the kubelet restarts containers in place. A failed *pod* then means that the node or the system ended it, so
 * the replica is recreated. With ExitCode the pod never restarts, and the exit code of the framework's container decides. Follows
 * kubeflow/training-operator, pkg/controller.v1/common/pod.go and pkg/util/train/train_util.go.
 */
import type { Pod, RestartPolicy } from '@muster/job-api';
import type { ReplicaRole } from '../model/training-job.ts';
import { endOf } from '../pods/pod-end.ts';
import { exitCodeOf } from '../pods/replica-pods.ts';

/** Codes from 128 come from signals (128 + n), or the user chose them to mean "retry". */
const FIRST_RETRYABLE_EXIT_CODE = 128;

/** Whether a replica is recreated whose pod failed. With every policy, it is if the program did not cause the failure. */
export function isRestarted(role: Pick<ReplicaRole, 'restartPolicy' | 'containerName'>, pod: Pod): boolean {
  const { restartPolicy, containerName } = role;
  if (restartPolicy === 'Always' || restartPolicy === 'OnFailure' || endOf(pod) !== 'ProgramFailed') return true;
  const exitCode = exitCodeOf(pod, containerName);
  return restartPolicy === 'ExitCode' && (exitCode === undefined || exitCode >= FIRST_RETRYABLE_EXIT_CODE);
}

/** The pod's `restartPolicy`. With ExitCode or a failure policy Muster decides, so the kubelet must not restart. */
export function podRestartPolicy(policy: RestartPolicy, restartsAsPods = false): 'Always' | 'OnFailure' | 'Never' {
  return policy === 'ExitCode' || restartsAsPods ? 'Never' : policy;
}
