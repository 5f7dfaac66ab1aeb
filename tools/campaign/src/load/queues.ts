/** Queues of Kueue: one for each namespace, with a quota of pods. */
import type { KubeObject, Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import type { LoadedJob } from './random-load.ts';

type WithSpec = KubeObject & { readonly spec?: object };

const GROUP = { group: 'kueue.x-k8s.io', version: 'v1beta2' } as const;
const FLAVORS: Resource<WithSpec> = { ...GROUP, kind: 'ResourceFlavor', plural: 'resourceflavors', namespaced: false };
const CLUSTER_QUEUES: Resource<WithSpec> = {
  ...GROUP,
  kind: 'ClusterQueue',
  plural: 'clusterqueues',
  namespaced: false,
};
const LOCAL_QUEUES: Resource<WithSpec> = { ...GROUP, kind: 'LocalQueue', plural: 'localqueues', namespaced: true };

export const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
const QUEUE = 'campaign';
const FLAVOR = 'any';
/** Enough for the largest jobs of a run, but not for all of them at a time. */
const USUAL_QUOTA = 30;

/** Three jobs of four have a queue, if there are queues. */
export function queueLabelOf({ shape }: Pick<LoadedJob, 'shape'>): Readonly<Record<string, string>> {
  return shape.seed % 4 === 0 ? {} : { [QUEUE_LABEL]: QUEUE };
}

/** Of one namespace. May be repeated, also after the namespace was deleted. */
export async function makeQueue(client: KubeClient, namespace: string): Promise<void> {
  const objects = [
    [FLAVORS, { metadata: { name: FLAVOR }, spec: {} }],
    [CLUSTER_QUEUES, { metadata: { name: namespace }, spec: { namespaceSelector: {}, ...quotaOf(USUAL_QUOTA) } }],
    [LOCAL_QUEUES, { metadata: { name: QUEUE, namespace }, spec: { clusterQueue: namespace } }],
  ] as const;
  for (const [resource, object] of objects)
    await client.create(resource, object).catch((error: unknown) => {
      if (!isKubeError(error, 'AlreadyExists')) throw error;
    });
}

/** @param pods default: as before */
export async function setQuota(client: KubeClient, namespace: string, pods = USUAL_QUOTA): Promise<void> {
  await client.patch(CLUSTER_QUEUES, { name: namespace }, { spec: quotaOf(pods) });
}

function quotaOf(pods: number): object {
  const flavors = [{ name: FLAVOR, resources: [{ name: 'pods', nominalQuota: String(pods) }] }];
  return { resourceGroups: [{ coveredResources: ['pods'], flavors }] };
}
