/** The engine writes them into the Service's slices (`endpoint-slices.ts`). */
import type { Service } from '@muster/job-api';
import type { Members } from '../model/owned-resources.ts';

export interface ServiceMembers extends Members {
  readonly service: Service;
}
