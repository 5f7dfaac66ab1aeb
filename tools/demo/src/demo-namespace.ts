/**
 * The namespace of the demo's jobs, created for each run. A namespace of that name without the demo's label is never changed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeObject, PODS, type Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { DemoError } from './demo-error.ts';

export const DEMO_NAMESPACE = 'muster-demo';

const OWN_LABEL = 'muster.dev/demo';
const LIMIT_MS = 180_000;

export const NAMESPACES: Resource = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const SERVICE_ACCOUNTS: Resource = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

/** Deletes the namespace of an earlier run, creates a new one, and resolves when pods can be created in it. */
export async function freshNamespace(client: KubeClient, signal: AbortSignal): Promise<void> {
  await removeNamespace(client, signal);
  try {
    await client.create(NAMESPACES, { metadata: { name: DEMO_NAMESPACE, labels: { [OWN_LABEL]: 'true' } } });
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
    throw new DemoError(
      `The cluster has a namespace ${DEMO_NAMESPACE} that the demo did not create: delete it, or use another cluster.`,
    );
  }
  const account = { namespace: DEMO_NAMESPACE, name: 'default' };
  await poll(
    async () => (await find(client, SERVICE_ACCOUNTS, account)) !== undefined,
    signal,
    () => {
      return `Namespace ${DEMO_NAMESPACE} has no ServiceAccount "default": check the cluster's controller-manager.`;
    },
  );
}

/** Deletes the demo's namespace with its contents, if it exists, and resolves when it is gone. */
export async function removeNamespace(client: KubeClient, signal?: AbortSignal): Promise<void> {
  const key = { name: DEMO_NAMESPACE };
  const own = async () => (await find(client, NAMESPACES, key))?.metadata?.labels?.[OWN_LABEL] === 'true';
  if (!(await own())) return;
  await remove(client, NAMESPACES, key);
  // A program that is still loading ignores SIGTERM: a short grace period avoids the wait until it is killed.
  const { items: pods } = await client.list(PODS, { namespace: DEMO_NAMESPACE });
  for (const { metadata } of pods) {
    await remove(client, PODS, { namespace: DEMO_NAMESPACE, name: metadata?.name ?? '' }, 1);
  }
  await poll(
    async () => !(await own()),
    signal,
    () => {
      return `Namespace ${DEMO_NAMESPACE} is not deleted: run kubectl describe namespace ${DEMO_NAMESPACE}.`;
    },
  );
}

async function remove(
  client: KubeClient,
  resource: Resource,
  key: { namespace?: string; name: string },
  gracePeriodSeconds?: number,
): Promise<void> {
  try {
    await client.delete(resource, key, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
  } catch (error) {
    // It is gone, or is being deleted already.
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
}

async function find(
  client: KubeClient,
  resource: Resource,
  key: { namespace?: string; name: string },
): Promise<KubeObject | undefined> {
  try {
    return await client.get(resource, key);
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function poll(done: () => Promise<boolean>, signal: AbortSignal | undefined, message: () => string) {
  const endMs = performance.now() + LIMIT_MS;
  while (!(await done())) {
    signal?.throwIfAborted();
    if (performance.now() > endMs) throw new DemoError(message());
    await sleep(200);
  }
}
