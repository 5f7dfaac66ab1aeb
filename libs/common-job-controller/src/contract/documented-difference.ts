/** Differences from another operator that the pages in `docs/administrators/differences` document. */
import type { JobStatus, ObjectMeta, RunPolicy } from '@muster/job-api';

/** One value of a job that the two operators would have different. An absent value is empty. */
export interface Difference {
  /** `status.conditions[Running].status`, `Pod of worker: spec.hostname`, `end`, `create Pod`, … */
  readonly field: string;
  readonly theirs: string;
  readonly ours: string;
}

/** What a rule may read beside the difference. */
export interface ComparedJob {
  readonly metadata: ObjectMeta;
  readonly spec: object;
  readonly runPolicy: Partial<RunPolicy>;
  readonly theirs: Partial<JobStatus>;
  /** The status that Muster would have written, in its own form. */
  readonly ours: JobStatus;
  /** Whether a pod was deleted while it ran. */
  readonly hasLostPods: boolean;
}

/** A row of a table in a page of differences, and the differences that it explains. The first rule that applies counts. */
export interface DocumentedDifference {
  /** The name of the page and the first cell of the row, as in the page: `every-kind: Services`. */
  readonly row: string;
  readonly field: RegExp;
  /** Default: always. */
  readonly applies?: (difference: Difference, job: ComparedJob) => boolean;
}
