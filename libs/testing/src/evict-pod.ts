/** The effects of a scheduler, the eviction API and a kubelet on pods that do not run. */
import { PODS, type ObjectKey, type Pod } from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
import { expect } from 'vitest';

type Key = Required<ObjectKey>;

/** The API server deletes an unscheduled pod without its grace period. */
export async function bindPod(client: ClusterClient, { namespace, name }: Key): Promise<void> {
  const target = { apiVersion: 'v1', kind: 'Node', name: 'drained' };
  await post(client, { namespace, name }, 'binding', { apiVersion: 'v1', kind: 'Binding', target });
}

/** Like `kubectl drain`. Resolves when the pod has condition DisruptionTarget and is being deleted. */
export async function evictPod(client: ClusterClient, key: Key): Promise<void> {
  await post(client, key, 'eviction', { apiVersion: 'policy/v1', kind: 'Eviction' });
}

/** Like the kubelet: SIGTERM has ended the program. */
export async function endEvictedPod(client: ClusterClient, key: Key): Promise<void> {
  const { spec, metadata } = await client.get(PODS, key);
  const [{ name } = { name: '' }] = spec?.containers ?? [];
  const state = { terminated: { exitCode: 143, reason: 'Error', finishedAt: new Date().toISOString() } };
  const containerStatuses = [{ name, image: '', imageID: '', ready: false, restartCount: 0, state }];
  await client.patchStatus<Pod>(PODS, key, { status: { phase: 'Failed', containerStatuses } });
  await client.delete(PODS, key, { gracePeriodSeconds: 0, ...(metadata?.uid !== undefined && { uid: metadata.uid }) });
}

async function post(client: ClusterClient, metadata: Key, subresource: string, body: object): Promise<void> {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/${subresource}`;
  const { code, text } = await client.proxied({ method: 'POST', path, body: { ...body, metadata } });
  expect(code, text).toBe(201);
}
