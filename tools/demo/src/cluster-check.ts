/** Finds out, before anything is made in it, whether a cluster of the user's can show the demo; says what to do if not. */
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

/** Who may do these may, as a rule, do the rest as well: they are not granted inside of a namespace. */
const NEEDED = [
  { resource: NAMESPACES, verb: 'create' },
  { resource: CUSTOM_RESOURCE_DEFINITIONS, verb: 'patch' },
] as const;

/** Throws a `DemoError` if the cluster does not answer, does not know the account, or does not let it do enough. */
export async function checkCluster(client: KubeClient, kubeconfig: string): Promise<void> {
  try {
    for (const { resource, verb } of NEEDED) {
      const { group, plural } = resource;
      const resourceAttributes = { group, resource: plural, verb };
      const { status } = await client.create(ACCESS_REVIEWS, { spec: { resourceAttributes } });
      if (status?.allowed === true) continue;
      throw new DemoError(
        `The account of ${kubeconfig} may not ${verb} ${plural}: the demo installs CRDs and makes a namespace, which takes an administrator of the cluster.`,
      );
    }
  } catch (error) {
    if (isKubeError(error, 'Unreachable')) {
      throw new DemoError(
        `The cluster of ${kubeconfig} does not answer (${error.message}): is it up, and can it be reached from here?`,
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

/** Whether pods only pretend to run there: all nodes are those of a local cluster with simulated nodes. */
export async function isSimulated(client: KubeClient): Promise<boolean> {
  try {
    const { items } = await client.list(NODES);
    return items.length > 0 && items.every(({ metadata }) => metadata?.labels?.[SIMULATED_NODE_LABEL] === 'true');
  } catch (error) {
    // Who may not see nodes has a cluster of some provider.
    if (isKubeError(error, 'Forbidden')) return false;
    throw error;
  }
}
