/** The resource by which the API server serves a kind that is known only by its manifest. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';

const LIMIT_MS = 30_000;
const ASK_EVERY_MS = 250;

interface Served {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Waits until the kind is served, shortly after its CRD is installed. */
export async function servedResource(
  client: KubeClient,
  { apiVersion = '', kind = '' }: Pick<KubeObject, 'apiVersion' | 'kind'>,
): Promise<Resource> {
  const [first = '', second] = apiVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
  const limitMs = performance.now() + LIMIT_MS;
  for (;;) {
    const found = (await servedAt(client, path)).find((each) => each.kind === kind && !each.name.includes('/'));
    if (found !== undefined) return { group, version, kind, plural: found.name, namespaced: found.namespaced };
    if (performance.now() > limitMs)
      throw new Error(
        `the cluster does not serve ${kind} of ${apiVersion}: put its CRD before the job in the file of --kind`,
      );
    await sleep(ASK_EVERY_MS);
  }
}

async function servedAt(client: KubeClient, path: string): Promise<readonly Served[]> {
  try {
    return (JSON.parse(await client.text(path)) as { resources?: Served[] }).resources ?? [];
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return [];
    throw error;
  }
}

/** Creates them in this order. Those without a namespace get `namespace`. */
export async function install(client: KubeClient, objects: readonly KubeObject[], namespace: string): Promise<void> {
  for (const object of objects) {
    const resource = await servedResource(client, object);
    const where = resource.namespaced ? { namespace } : {};
    await client.apply(resource, { ...object, metadata: { ...where, ...object.metadata } }, { force: true });
  }
}
