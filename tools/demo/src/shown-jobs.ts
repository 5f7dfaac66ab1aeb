/** Which of a framework's jobs can be shown where pods run an image of somebody else's, or none at all. */
import type { DemoFramework, DemoJob } from './demo-job.ts';

export interface ShownJobs {
  readonly shown: readonly DemoJob[];
  /** Those that need images which only the local cluster is sure to have, or pods that run. */
  readonly leftOut: readonly DemoJob[];
}

/**
 * @param image that of somebody else's, if there is one
 * @param trains whether pods run what they are told to
 */
export function shownJobs(
  { jobs }: Pick<DemoFramework, 'jobs'>,
  image: string | undefined,
  trains: boolean,
): ShownJobs {
  const isLeftOut = ({ needsFurtherImages = false, needsRealPods = false }: DemoJob) =>
    (image !== undefined && needsFurtherImages) || (!trains && needsRealPods);
  return { shown: jobs.filter((job) => !isLeftOut(job)), leftOut: jobs.filter(isLeftOut) };
}
