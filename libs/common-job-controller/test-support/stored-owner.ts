/** The garbage collector deletes children of a missing owner. The target of an autoscaler needs an API group. */
import { LEASES, type Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';

export async function storedOwner(client: KubeClient, namespace: string): Promise<{ resource: Resource; uid: string }> {
  const { metadata } = await client.create(LEASES, { metadata: { name: 'mnist', namespace } });
  return { resource: LEASES, uid: metadata?.uid ?? '' };
}
