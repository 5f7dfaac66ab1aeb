/** Which of a framework's jobs can be shown where pods run an image of somebody else's. */
import type { DemoFramework, DemoJob } from './demo-job.ts';

export interface ShownJobs {
  readonly shown: readonly DemoJob[];
  /** Those that need images which only the local cluster is sure to have. */
  readonly leftOut: readonly DemoJob[];
}

/** `image`: that of somebody else's, if there is one. */
export function shownJobs({ jobs }: Pick<DemoFramework, 'jobs'>, image: string | undefined): ShownJobs {
  const isLeftOut = ({ needsFurtherImages = false }: DemoJob) => image !== undefined && needsFurtherImages;
  return { shown: jobs.filter((job) => !isLeftOut(job)), leftOut: jobs.filter(isLeftOut) };
}
