/** Settings of a submitter's template that are probably mistakes. */
import type { Problem } from '@muster/common-job-controller';
import type { RayJob } from '@muster/job-api';

/** The API server accepts a `podFailurePolicy` only for pods that are never restarted in place. */
export function submitterWarnings({ spec }: RayJob): Problem[] {
  if ((spec.submissionMode ?? 'K8sJobMode') !== 'K8sJobMode') return [];
  if (spec.submitterPodTemplate?.spec?.restartPolicy !== 'OnFailure') return [];
  return [
    {
      path: 'spec.submitterPodTemplate.spec.restartPolicy',
      message:
        'under OnFailure a drain or a preemption of the submitter counts towards spec.submitterConfig.backoffLimit, and a ' +
        'submitter is restarted even if its exit code is final: use Never',
    },
  ];
}
