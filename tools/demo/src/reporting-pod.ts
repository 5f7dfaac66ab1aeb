/** Finds the pod whose log has the training progress of a job. */
import type { Pod } from '@muster/job-api';

export interface Reporter {
  /** The pod's name without the job's prefix, or its labels if the name has a random suffix. */
  readonly pod: string | Readonly<Record<string, string>>;
  readonly container: string;
}

/**
 * Undefined until one of the job's `pods` may have a log. If several have the labels, returns the newest attempt.
 */
export function reportingPod(pods: readonly Pod[], job: string, { pod: wanted }: Reporter): Pod | undefined {
  const isWanted = ({ metadata }: Pod) =>
    typeof wanted === 'string'
      ? metadata?.name === `${job}-${wanted}`
      : Object.entries(wanted).every(([label, value]) => metadata?.labels?.[label] === value);
  return pods
    .filter((pod) => isWanted(pod) && pod.status?.phase !== 'Pending')
    .toSorted((a, b) => createdMs(b) - createdMs(a))[0];
}

function createdMs({ metadata }: Pod): number {
  return Date.parse(metadata?.creationTimestamp ?? '') || 0;
}
