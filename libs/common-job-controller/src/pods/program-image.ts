import type { Container } from '@muster/job-api';
import type { ReplicaRole } from '../model/training-job.ts';

/** The nodes pull this image anyway, so an init container with it needs no other registry. */
export function programImage({
  template,
  containerName,
}: Pick<ReplicaRole, 'template' | 'containerName'>): Pick<Container, 'image' | 'imagePullPolicy'> {
  const { containers = [] } = template.spec ?? {};
  const { image, imagePullPolicy } = containers.find(({ name }) => name === containerName) ?? containers[0] ?? {};
  return { ...(image !== undefined && { image }), imagePullPolicy: imagePullPolicy ?? 'IfNotPresent' };
}
