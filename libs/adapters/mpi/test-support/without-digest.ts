import { ANNOTATIONS, type KubeObject } from '@muster/job-api';

/** Removes the digest of the template from a Job or StatefulSet; golden files have the whole template. */
export function withoutDigest<T extends KubeObject>(object: T): T {
  const { annotations, ...metadata } = object.metadata ?? {};
  return annotations !== undefined && ANNOTATIONS.template in annotations ? { ...object, metadata } : object;
}
