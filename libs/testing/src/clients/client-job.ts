/** The part of a Kubeflow job that clients read. */
import type { JobStatus, KubeObject } from '@muster/job-api';

export interface ClientJob extends KubeObject {
  readonly spec?: { readonly runPolicy?: { readonly suspend?: boolean | undefined } };
  readonly status?: JobStatus;
}
