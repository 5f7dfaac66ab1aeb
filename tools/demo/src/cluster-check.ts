/** Checks whether the user's cluster can run the demo, before anything is created there. */
import { SIMULATED_NODE_LABEL } from '@muster/cluster';
import { CUSTOM_RESOURCE_DEFINITIONS, type KubeObject, type Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { DemoError } from './demo-error.ts';
import { NAMESPACES } from './demo-namespace.ts';

const NODES: Resource = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

interface AccessReview extends KubeObject {
  readonly spec: { readonly resourceAttributes: object };
  readonly status?: { readonly allowed: boolean };
}

const ACCESS_REVIEWS: Resource<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

/** Cluster-wide permissions. An account with these usually has the others, too. */
const NEEDED = [
  { resource: NAMESPACES, verb: 'create' },
  { resource: CUSTOM_RESOURCE_DEFINITIONS, verb: 'patch' },
] as const;

/** Throws a `DemoError` if the cluster does not answer, or refuses the account or its permissions. */
export async function checkCluster(client: KubeClient, kubeconfig: string): Promise<void> {
  try {
    for (const { resource, verb } of NEEDED) {
      const { group, plural } = resource;
      const resourceAttributes = { group, resource: plural, verb };
      const { status } = await client.create(ACCESS_REVIEWS, { spec: { resourceAttributes } });
      if (status?.allowed === true) continue;
      throw new DemoError(
        `The account in ${kubeconfig} is not allowed to ${verb} ${plural}. The demo installs CRDs and creates a namespace: use an account of a cluster administrator.`,
      );
    }
  } catch (error) {
    if (isKubeError(error, 'Unreachable')) {
      throw new DemoError(
        `The cluster in ${kubeconfig} does not answer (${error.message}): check that it runs and is reachable from here.`,
      );
    }
    if (isKubeError(error, 'Unauthorized')) {
      throw new DemoError(
        `The cluster refuses the credentials in ${kubeconfig}: renew them, or use another kubeconfig.`,
      );
    }
    throw error;
  }
}

/** Whether all nodes are simulated nodes of a local cluster, which run no containers. */
export async function isSimulated(client: KubeClient): Promise<boolean> {
  try {
    const { items } = await client.list(NODES);
    return items.length > 0 && items.every(({ metadata }) => metadata?.labels?.[SIMULATED_NODE_LABEL] === 'true');
  } catch (error) {
    // An account without permission to list nodes is that of a provider's cluster.
    if (isKubeError(error, 'Forbidden')) return false;
    throw error;
  }
}
