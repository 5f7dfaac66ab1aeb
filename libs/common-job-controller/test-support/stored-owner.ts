/**
 * The garbage collector deletes children of a missing owner. A Lease has an API group, which the target of an
 * autoscaler needs.
 */
import { LEASES, type Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';

export async function storedOwner(client: KubeClient, namespace: string): Promise<{ resource: Resource; uid: string }> {
  const { metadata } = await client.create(LEASES, { metadata: { name: 'mnist', namespace } });
  return { resource: LEASES, uid: metadata?.uid ?? '' };
}
