/**
 * Signs of activity of a running job that does not report progress: the age of its last log line and the CPU use of its pods.
 * Without progress reports, a hang cannot be detected.
 */
import { PODS } from '@muster/job-api';
import { isKubeError, type ClusterClient } from '@muster/kube';
import { age } from '../terminal/age.ts';
import type { JobView } from './job-view.ts';
import { podLog } from './pod-log.ts';

/** One line each, without what cannot be read. */
export async function activityOf(client: ClusterClient, view: JobView, nowMs: number): Promise<string[]> {
  const replica = view.replicas.find(({ name }) => name === view.deciding) ?? view.replicas[0];
  if (replica === undefined) return [];
  const [log, usage] = await Promise.all([lastLogLine(client, replica, nowMs), cpuUsage(client, view)]);
  return [...log, ...usage];
}

async function lastLogLine(
  client: ClusterClient,
  { name, pod, container }: JobView['replicas'][number],
  nowMs: number,
): Promise<string[]> {
  const { name: podName = '', namespace = '' } = pod.metadata ?? {};
  try {
    for await (const { time, text } of podLog(client, { namespace, pod: podName, container, tailLines: 1 })) {
      return [`The last line of the log of ${name} is ${age(time, nowMs)} old: ${text.slice(0, 120)}`];
    }
    return [`The log of ${name} is empty.`];
  } catch (error) {
    if (!isKubeError(error)) throw error;
    return [];
  }
}

interface PodMetrics {
  readonly containers?: readonly { readonly usage?: { readonly cpu?: string } }[];
}

/** From metrics-server, if the cluster has it and the user may read it. */
async function cpuUsage(client: ClusterClient, { replicas }: JobView): Promise<string[]> {
  const usages = await Promise.all(
    replicas.slice(0, MOST_PODS).map(async ({ name, pod }) => {
      const { name: podName = '', namespace = '' } = pod.metadata ?? {};
      const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/${PODS.plural}/${podName}`;
      try {
        const { containers = [] } = await client.raw<PodMetrics>(path);
        const cores = containers.reduce((sum, { usage }) => sum + coresOf(usage?.cpu ?? '0'), 0);
        return [`${name} ${cores.toFixed(cores < 0.1 ? 3 : 1)}`];
      } catch (error) {
        if (!isKubeError(error)) throw error;
        return [];
      }
    }),
  );
  const known = usages.flat();
  return known.length === 0 ? [] : [`CPUs in use: ${known.join(', ')}.`];
}

const MOST_PODS = 8;

/** Metrics have nanocores, microcores, millicores or cores. */
function coresOf(quantity: string): number {
  const [, digits = '0', unit = ''] = /^([\d.]+)([num]?)$/.exec(quantity) ?? [];
  return Number(digits) * ({ n: 1e-9, u: 1e-6, m: 1e-3 }[unit] ?? 1);
}
