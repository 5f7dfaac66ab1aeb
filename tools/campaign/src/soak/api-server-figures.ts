/** What the jobs of a soak leave in the API server, read as administrator. */
import { EVENTS, type KubeObject, LEASES, PODS, type Resource, SERVICES } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import { CAMPAIGN_KINDS, isSelected } from '../load/all-kinds.ts';
import type { Figures } from './figures.ts';

/** The resources of these kinds, each once: versions of a resource have the same objects. */
export function jobResources(kinds: readonly string[]): Resource[] {
  const resources = CAMPAIGN_KINDS.filter((kind) => isSelected(kind, kinds)).map(({ resource }) => resource);
  return [...new Map(resources.map((resource) => [pluralOf(resource), resource])).values()];
}

/** As in a {@link Change}. */
export function pluralOf({ plural, group }: Resource): string {
  return `${plural}.${group}`;
}

export async function jobsOf(client: KubeClient, resources: readonly Resource[]): Promise<[Resource, KubeObject][]> {
  const lists = await Promise.all(
    resources.map(async (resource) =>
      (await client.list(resource)).items.map((job): [Resource, KubeObject] => [resource, job]),
    ),
  );
  return lists.flat();
}

/** Of all namespaces. */
export async function readApiServer(client: KubeClient, resources: readonly Resource[]): Promise<Figures> {
  const count = async (resource: Resource) => (await client.list(resource)).items.length;
  const jobs = await jobsOf(client, resources);
  const sizes = jobs.map(([, job]) => Buffer.byteLength(JSON.stringify((job as { status?: object }).status ?? {})));
  return {
    ...(sizes.length > 0 && {
      'largest status of a job': Math.max(...sizes),
      'mean status of a job': sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
    }),
    ...{ jobs: jobs.length, pods: await count(PODS), Services: await count(SERVICES) },
    ...{ events: await count(EVENTS), Leases: await count(LEASES) },
  };
}
