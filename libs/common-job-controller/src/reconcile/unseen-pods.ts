import { PODS } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { isControlledBy } from '../model/ownership.ts';
import type { World } from '../world/world.ts';
import type { Dependencies } from './reconcile-run.ts';

/** Whether the job has pods that the watch has not delivered yet. Reads them from the API server, and throws if it cannot. */
export async function lacksPods(
  { client }: Pick<Dependencies, 'client'>,
  { labels }: Pick<FrameworkAdapter, 'labels'>,
  { manifest: { metadata }, pods }: Pick<World, 'manifest' | 'pods'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = '', name = '', uid } = metadata ?? {};
  // Users may override the other labels.
  const { key } = labels.selector;
  const labelSelector = `${key}=${labels.ofJob(name)[key]}`;
  const { items } = await client.list(PODS, { namespace, labelSelector, signal });
  const seen = new Set(pods.map((pod) => pod.metadata?.uid));
  return items.some((pod) => isControlledBy(uid, pod) && !seen.has(pod.metadata?.uid));
}
