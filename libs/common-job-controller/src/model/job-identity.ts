import type { Resource } from '@muster/job-api';
import type { JobManifest, TrainingJob } from './training-job.ts';

export type JobIdentity = Pick<TrainingJob, 'resource' | 'ownerVersion' | 'metadata'>;

/** What all jobs of a kind have in common. */
export interface JobKind {
  readonly resource: Resource;
  ownerVersion?(manifest: JobManifest): string | undefined;
}

export function identityOf(kind: JobKind, manifest: JobManifest): JobIdentity {
  const { name = '', namespace = 'default', uid = '' } = manifest.metadata ?? {};
  const ownerVersion = kind.ownerVersion?.(manifest);
  return {
    resource: kind.resource,
    ...(ownerVersion !== undefined && { ownerVersion }),
    metadata: { ...manifest.metadata, name, namespace, uid },
  };
}

export function generationOf({ metadata }: JobManifest): number {
  return metadata?.generation ?? 0;
}
