/** A job of one of Kubeflow's kinds, as far as clients read it. */
import type { JobStatus, KubeObject } from '@muster/job-api';

export interface ClientJob extends KubeObject {
  readonly spec?: { readonly runPolicy?: { readonly suspend?: boolean | undefined } };
  readonly status?: JobStatus;
}
