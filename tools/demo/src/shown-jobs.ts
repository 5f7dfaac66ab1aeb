/** Selects the jobs of a framework that can be shown with the user's image, or without running containers. */
import type { DemoFramework, DemoJob } from './demo-job.ts';

export interface ShownJobs {
  readonly shown: readonly DemoJob[];
  /** Jobs that need further images or running containers. */
  readonly leftOut: readonly DemoJob[];
}

/**
 * @param image the user's image, if given
 * @param trains whether pods run containers
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
