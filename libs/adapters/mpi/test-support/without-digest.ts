import { ANNOTATIONS, type KubeObject } from '@muster/job-api';

/** A Job or StatefulSet without the digest of its template, which the golden files show line by line. */
export function withoutDigest<T extends KubeObject>(object: T): T {
  const { annotations, ...metadata } = object.metadata ?? {};
  return annotations !== undefined && ANNOTATIONS.template in annotations ? { ...object, metadata } : object;
}
