/**
 * The end of a job in Katib. Rewritten from kubeflow/katib 0.19: the default conditions of
 * pkg/apis/controller/experiments/v1beta1/constants.go, `status.conditions.#(type=="Failed")#|#(status=="True")#` and
 * the same for Succeeded, and pkg/controller.v1beta1/trial/util/job_util.go, which checks for the failure first and
 * copies reason and message of the first match.
 */
import type { ClientJob } from './client-job.ts';

export interface KatibOutcome {
  readonly type: 'Succeeded' | 'Failed' | 'Running';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export function katibOutcome({ status = {} }: ClientJob): KatibOutcome {
  for (const type of ['Failed', 'Succeeded'] as const) {
    const hit = (status.conditions ?? []).filter((each) => each.type === type).find((each) => each.status === 'True');
    if (hit !== undefined) return { type, reason: hit.reason, message: hit.message };
  }
  return { type: 'Running' };
}
