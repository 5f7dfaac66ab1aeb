/** Which pod's log tells how a job's training goes. */
import type { Pod } from '@muster/job-api';

export interface Reporter {
  /** The pod's name without the job's in front; or the labels by which it is found, where its name has a random end. */
  readonly pod: string | Readonly<Record<string, string>>;
  readonly container: string;
}

/**
 * Undefined as long as none of `pods`, which are those of the job, has got so far that there may be a log. Of several that have
 * the labels, which are attempts one after the other, the newest.
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
