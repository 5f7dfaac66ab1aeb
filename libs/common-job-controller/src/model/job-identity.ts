import type { JobManifest, TrainingJob } from './training-job.ts';

export type JobIdentity = Pick<TrainingJob, 'resource' | 'metadata'>;

export function identityOf({ resource }: Pick<TrainingJob, 'resource'>, { metadata }: JobManifest): JobIdentity {
  const { name = '', namespace = 'default', uid = '' } = metadata ?? {};
  return { resource, metadata: { ...metadata, name, namespace, uid } };
}

export function generationOf({ metadata }: JobManifest): number {
  return metadata?.generation ?? 0;
}
