/** How many requests were made, read from metrics in Prometheus' text form. */
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

/** Of a metric that has no labels; undefined where there is none of that name. */
export function metricValue(text: string, name: string): number | undefined {
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}

/** By method and status code, as an operator counts its own requests. `url` is the operator's, without a path. */
export async function operatorRequests(url: string): Promise<Record<string, number>> {
  const response = await fetch(`${url}/metrics`);
  return metricSums(await response.text(), 'rest_client_requests_total', ['method', 'code']);
}

/** All that a job or cluster consists of, and what is written of it. */
const RESOURCES = [
  ...['pods', 'services', 'endpoints', 'endpointslices', 'events', 'leases', '[a-z]*jobs', 'rayclusters'],
  ...['statefulsets', 'configmaps', 'secrets', 'serviceaccounts', 'roles', 'rolebindings', 'networkpolicies'],
];
const OF_JOBS = new RegExp(`^(POST|PUT|PATCH|DELETE) (${RESOURCES.join('|')})\\b`);

/** By verb, resource and subresource, of all clients together: only of those kinds that a job or cluster consists of. */
export async function apiServerRequests(client: KubeClient): Promise<Record<string, number>> {
  const sums = metricSums(await client.text('/metrics'), 'apiserver_request_total', [
    'verb',
    'resource',
    'subresource',
  ]);
  return Object.fromEntries(Object.entries(sums).filter(([key]) => OF_JOBS.test(key)));
}

/** The same without Leases, which are renewed by whoever leads or has a node. */
export async function writesBesidesLeases(client: KubeClient): Promise<Record<string, number>> {
  const all = Object.entries(await apiServerRequests(client));
  return Object.fromEntries(all.filter(([key]) => !/ leases\b/.test(key)));
}

export function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What has been added since; what has not changed is left out. */
export function subtract(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
      .filter(([, count]) => count !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
