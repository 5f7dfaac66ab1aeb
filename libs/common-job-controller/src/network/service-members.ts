/** Whom the name of a Service without a selector stands for. The engine writes it into the Service's slices (`endpoint-slices.ts`). */
import type { Service } from '@muster/job-api';
import type { ReplicaPod } from '../pods/replica-pods.ts';

export interface Members {
  readonly replicas: readonly ReplicaPod[];
  /** The role whose pods look the others up: those do not wait for it to be there. Default: all wait for all. */
  readonly seeker?: string;
}

/** With the Service of the job. */
export interface ServiceMembers extends Members {
  readonly service: Service;
}
