/**
 * An object in the cluster that stands for the job `mnist`: what names an owner that is not there is soon taken away by
 * the garbage collector. A Lease, because it has an API group, without which nothing can be the target of an autoscaler.
 */
import { LEASES, type Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';

export async function storedOwner(client: KubeClient, namespace: string): Promise<{ resource: Resource; uid: string }> {
  const { metadata } = await client.create(LEASES, { metadata: { name: 'mnist', namespace } });
  return { resource: LEASES, uid: metadata?.uid ?? '' };
}
