/** Many jobs that keep running, for an operator that starts among them or is idle beside them. */
import { PODS, type Pod } from '@muster/job-api';
import { loadCluster, type ClusterClient } from '@muster/kube';
import { Milestones } from '../milestones.ts';
import { rawClient } from '../raw-client.ts';
import type { BenchContext } from '../scenario.ts';
import type { JobObject, MeasuredKind } from '../training-job.ts';
import { withConcurrency } from './with-concurrency.ts';

const CONNECTIONS = 64;
export const JOB_NAME = 'training.kubeflow.org/job-name';

type Where = Pick<BenchContext, 'kubeconfig' | 'namespace'>;

/** Resolves when the status of all jobs is Running. An operator must run. */
export async function makeRunningJobs(
  client: ClusterClient,
  { kubeconfig, namespace }: Where,
  { resource }: MeasuredKind,
  all: readonly JobObject[],
  limitMs: number,
): Promise<void> {
  await using jobs = await Milestones.of(client, resource, { namespace }, limitMs);
  const raw = await rawClient(await loadCluster({ kubeconfig }), CONNECTIONS);
  try {
    const path = `/apis/${resource.group}/${resource.version}/namespaces/${namespace}/${resource.plural}`;
    const running = jobs.when(
      'all jobs run',
      (found) => found.filter(({ status }) => status?.state === 'Running').length >= all.length,
    );
    await withConcurrency(all, CONNECTIONS, (each) => raw.post(path, each));
    await running;
  } finally {
    raw.close();
  }
}

export async function podsOfJobs(client: ClusterClient, namespace: string): Promise<readonly Pod[]> {
  return (await client.list(PODS, { namespace, labelSelector: JOB_NAME })).items;
}
