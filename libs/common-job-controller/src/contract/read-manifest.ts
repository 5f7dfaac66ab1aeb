import type { JobStatus, RunPolicy } from '@muster/job-api';
import { NO_CONTEXT, type JobContext } from '../model/job-context.ts';
import type { JobManifest, TrainingJob } from '../model/training-job.ts';
import { identityOf } from '../model/job-identity.ts';
import { restartingRoles } from './restarting-roles.ts';
import type { FrameworkAdapter } from './adapter.ts';

export function statusOf({ status: codec }: Pick<FrameworkAdapter, 'status'>, manifest: JobManifest): JobStatus {
  const { status: stored = {} } = manifest;
  if (codec?.recordIn === undefined) return stored;
  return recordIn(codec.recordIn, stored) ?? codec.inherited?.(manifest) ?? {};
}

export function recordIn(field: string, stored: object): JobStatus | undefined {
  const { [field]: record } = stored as Record<string, JobStatus | undefined>;
  return typeof record === 'object' ? record : undefined;
}

/** A job that was stored under another CRD may have no spec. */
export function withSpec(manifest: JobManifest): JobManifest & { readonly spec: object } {
  return { ...manifest, spec: manifest.spec ?? {} };
}

/** A job that was stored under another CRD may have no run policy. */
export function runPolicyOf({ lifecycle }: Pick<FrameworkAdapter, 'lifecycle'>, manifest: JobManifest): RunPolicy {
  const readable = withSpec(manifest);
  const { runPolicy } = readable.spec as { runPolicy?: Partial<RunPolicy> };
  return { suspend: false, ...(lifecycle.runPolicy?.(readable) ?? runPolicy) };
}

/** The manifest must have no problems. */
export function readJob(
  adapter: FrameworkAdapter,
  manifest: JobManifest,
  context: JobContext = NO_CONTEXT,
): TrainingJob {
  const runPolicy = runPolicyOf(adapter, manifest);
  const read = adapter.read(manifest, context);
  return {
    ...identityOf(adapter, manifest),
    ...read,
    roles: restartingRoles(read.roles, runPolicy),
    runPolicy,
    status: statusOf(adapter, manifest),
  };
}

/** Whether another controller runs the job: Muster does not even write its status. */
export function isManagedElsewhere(adapter: FrameworkAdapter, manifest: JobManifest): boolean {
  if (adapter.lifecycle.isOurs?.(manifest) === false) return true;
  const { managedBy } = runPolicyOf(adapter, manifest);
  return managedBy !== undefined && !adapter.lifecycle.managers.includes(managedBy);
}
