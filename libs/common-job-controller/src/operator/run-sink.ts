import type { KubeObject, Resource } from '@muster/job-api';
import type { PlannedRun } from '../reconcile/plan.ts';

/** Receives each planned reconcile run, as `libs/recording`'s `RunRecorder` does. Its methods must neither throw nor wait. */
export interface RunSink {
  record(run: PlannedRun): void;
  /** Called when the job is gone from the API server. */
  recordDeletion?(resource: Resource, job: KubeObject): void;
  close(): Promise<void>;
}
