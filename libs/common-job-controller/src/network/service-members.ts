/** Whom the name of a Service without a selector stands for. The engine writes it into the Service's slices (`endpoint-slices.ts`). */
import type { Service } from '@muster/job-api';
import type { Members } from '../model/owned-resources.ts';

/** With the Service of the job. */
export interface ServiceMembers extends Members {
  readonly service: Service;
}
