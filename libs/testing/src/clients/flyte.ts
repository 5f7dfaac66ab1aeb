/**
 * The phase of a Kubeflow job in Flyte. Rewritten from flyteorg/flyte 1.16.8,
 * flyteplugins/go/tasks/plugins/k8s/kfoperators: `ExtractCurrentCondition` and `GetPhaseInfo` of
 * common/common_operator.go, and the check of `startTime` in `GetTaskPhase` of pytorch/pytorch.go,
 * tensorflow/tensorflow.go and mpi/mpi.go.
 */
import type { ClientJob } from './client-job.ts';

export type FlytePhase =
  | 'Queued'
  | 'Running'
  | 'Success'
  | 'RetryableFailure'
  /** An error in Flyte's log. After more than ten Flyte aborts the workflow. */
  | 'Undefined'
  | 'Error'
  /** Two conditions share the newest time, and Go's sort is not stable. */
  | 'Ambiguous';

const PHASES: Readonly<Record<string, FlytePhase>> = {
  Created: 'Queued',
  Suspended: 'Queued',
  Running: 'Running',
  Restarting: 'Running',
  Succeeded: 'Success',
  Failed: 'RetryableFailure',
};

/** Flyte's `kf-operator.timeout`. */
const START_TIMEOUT_MS = 60_000;

export function flytePhase({ metadata, spec, status = {} }: ClientJob, nowMs: number): FlytePhase {
  const isSuspended = spec?.runPolicy?.suspend === true;
  const ageMs = nowMs - timeOf(metadata?.creationTimestamp);
  if (!isSuspended && status.startTime === undefined && ageMs > START_TIMEOUT_MS) return 'Error';
  const { conditions } = status;
  if (conditions === undefined) return 'Queued';
  const holding = conditions.filter((each) => each.status === 'True');
  const newestMs = Math.max(...holding.map(({ lastTransitionTime }) => timeOf(lastTransitionTime)));
  const [newest, other] = holding.filter(({ lastTransitionTime }) => timeOf(lastTransitionTime) === newestMs);
  if (newest === undefined) return 'Error';
  return other === undefined ? (PHASES[newest.type] ?? 'Undefined') : 'Ambiguous';
}

/** Go's zero time if there is none. */
function timeOf(time: string | undefined): number {
  return time === undefined ? Date.UTC(1, 0, 1) : Date.parse(time);
}
