/** Lists the pods of a job, unordered. */
import type { Pod } from '@muster/job-api';
import { PODS } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import type { FoundJob } from './find-job.ts';
import { podRuleOf, type PodRule } from './pod-rule.ts';

export function podRuleFor({ kind }: Pick<FoundJob, 'kind'>): PodRule {
  return kind.pods ?? podRuleOf(kind.adapter({ clusterDomain: 'cluster.local' }));
}

export async function listPods(client: KubeClient, found: FoundJob): Promise<Pod[]> {
  const rule = podRuleFor(found);
  const { namespace, manifest } = found;
  const lists = await Promise.all(
    rule.selectors(manifest).map((labelSelector) => client.list(PODS, { namespace, labelSelector })),
  );
  return ownPods(
    rule,
    found,
    lists.flatMap(({ items }) => items),
  );
}

/** The pods of the job, without duplicates. */
export function ownPods(rule: PodRule, { manifest }: Pick<FoundJob, 'manifest'>, pods: readonly Pod[]): Pod[] {
  const byUid = new Map(pods.map((pod) => [pod.metadata?.uid, pod] as const));
  return [...byUid.values()].filter((pod) => rule.isOf(manifest, pod));
}
