/** Reads the input of `findings.ts` from a cluster. */
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  LEASES,
  type CustomResourceDefinition,
  type KubeObject,
  type Lease,
  type Resource,
} from '@muster/job-api';
import { NAMESPACES_ANNOTATION } from '@muster/common-job-controller';
import { isKubeError, type KubeClient } from '@muster/kube';
import type { Deployment, ClusterState, WebhookConfiguration } from './seen-cluster.ts';

interface EndpointSlice extends KubeObject {
  /** Null if there are none. */
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[] | null;
}

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const;
const WEBHOOKS: readonly Resource<WebhookConfiguration>[] = [
  { ...ADMISSION, kind: 'ValidatingWebhookConfiguration', plural: 'validatingwebhookconfigurations' },
  { ...ADMISSION, kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations' },
];
const DEPLOYMENTS: Resource<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
export const ENDPOINT_SLICES: Resource<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};
const SERVICE_NAME = 'kubernetes.io/service-name';

export async function readCluster(client: KubeClient, resources: readonly Resource[]): Promise<ClusterState> {
  const crds: CustomResourceDefinition[] = [];
  for (const { group, plural } of resources) {
    try {
      crds.push(await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: `${plural}.${group}` }));
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
    }
  }
  const webhooks: ClusterState['webhooks'][number][] = [];
  for (const resource of WEBHOOKS) {
    const { items } = await client.list(resource);
    webhooks.push(...items.map((configuration) => ({ plural: resource.plural, configuration })));
  }
  const slices = (await client.list(ENDPOINT_SLICES)).items.filter(({ endpoints }) =>
    endpoints?.some(({ conditions }) => conditions?.ready !== false),
  );
  const answering = new Set(
    slices.map(({ metadata }) => `${metadata?.namespace}/${metadata?.labels?.[SERVICE_NAME] ?? ''}`),
  );
  const { items: deployments } = await client.list(DEPLOYMENTS);
  return { crds, webhooks, answering, deployments, leases: await operatorLeases(client), nowMs: Date.now() };
}

/** Undefined without permission to list Leases. Deployments show most operators, too. */
async function operatorLeases(client: KubeClient): Promise<Lease[] | undefined> {
  try {
    const { items } = await client.list(LEASES);
    return items.filter(({ metadata }) => metadata?.annotations?.[NAMESPACES_ANNOTATION] !== undefined);
  } catch (error) {
    if (isKubeError(error, 'Forbidden')) return undefined;
    throw error;
  }
}
