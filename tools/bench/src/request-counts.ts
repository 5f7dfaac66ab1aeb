/** Counts of requests, read from metrics in Prometheus' text format. */
import type { KubeClient } from '@muster/kube';

/** The sums of one counter by some of its labels, written as `value value`. */
export function metricSums(text: string, name: string, labels: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const line of text.split('\n')) {
    const [, labelText, value] = /^([^ {]+\{.*\}) (\S+)$/.exec(line) ?? [];
    if (labelText === undefined || !labelText.startsWith(`${name}{`)) continue;
    const key = labels
      .map((label) => new RegExp(`[{,]${label}="([^"]*)"`).exec(labelText)?.[1] ?? '')
      .filter((part) => part !== '')
      .join(' ');
    sums[key] = (sums[key] ?? 0) + Number(value);
  }
  return sums;
}

/** A metric without labels; undefined if it does not exist. */
export function metricValue(text: string, name: string): number | undefined {
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}

/** An operator's own requests by method and status code. `url` is the operator's, without a path. */
export async function operatorRequests(url: string): Promise<Record<string, number>> {
  const response = await fetch(`${url}/metrics`);
  return metricSums(await response.text(), 'rest_client_requests_total', ['method', 'code']);
}

/** All resources that belong to a job or cluster. */
const RESOURCES = [
  ...['pods', 'services', 'endpoints', 'endpointslices', 'events', 'leases', '[a-z]*jobs', 'rayclusters'],
  ...['statefulsets', 'configmaps', 'secrets', 'serviceaccounts', 'roles', 'rolebindings', 'networkpolicies'],
];
const OF_JOBS = new RegExp(`^(POST|PUT|PATCH|DELETE) (${RESOURCES.join('|')})\\b`);

/** By verb, resource and subresource, of all clients together: only resources that belong to a job or cluster. */
export async function apiServerRequests(client: KubeClient): Promise<Record<string, number>> {
  const sums = metricSums(await client.text('/metrics'), 'apiserver_request_total', [
    'verb',
    'resource',
    'subresource',
  ]);
  return Object.fromEntries(Object.entries(sums).filter(([key]) => OF_JOBS.test(key)));
}

/** The same without Leases, which leaders and kubelets renew. */
export async function writesBesidesLeases(client: KubeClient): Promise<Record<string, number>> {
  const all = Object.entries(await apiServerRequests(client));
  return Object.fromEntries(all.filter(([key]) => !/ leases\b/.test(key)));
}

export function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The increases since then, without unchanged values. */
export function subtract(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
      .filter(([, count]) => count !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
