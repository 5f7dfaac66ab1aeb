import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil, type Cluster } from '@muster/cluster';
import type { Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import { installCrdsOf, startProgram, type RunningProgram } from './program.ts';

const QUEUES: Resource = {
  group: 'scheduling.volcano.sh',
  version: 'v1beta1',
  kind: 'Queue',
  plural: 'queues',
  namespaced: false,
};

/**
 * Volcano's scheduler, with a queue `default`. The test opens the queue, because Volcano's controller manager does not run.
 *
 * @param client an administrator's
 */
export async function startVolcano(cluster: Cluster, client: KubeClient): Promise<RunningProgram> {
  await installCrdsOf(cluster, 'vc-scheduler', 'config/crd/volcano/bases', [
    'scheduling.volcano.sh_podgroups',
    'scheduling.volcano.sh_queues',
    'topology.volcano.sh_hypernodes',
    'nodeinfo.volcano.sh_numatopologies',
  ]);
  const configuration = join(cluster.stateDir, 'volcano-scheduler.conf');
  writeFileSync(
    configuration,
    `
actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: overcommit}]
- plugins: [{name: predicates}, {name: nodeorder}]
`,
  );
  const scheduler = await startProgram('vc-scheduler', [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--scheduler-conf=${configuration}`,
    '--leader-elect=false',
    '--enable-healthz=false',
    '--cache-dumper=false',
  ]);
  const key = { name: 'default' };
  const missing = () =>
    client.get(QUEUES, key).then(
      () => undefined,
      () => `its output: ${scheduler.log()}`,
    );
  await waitUntil(missing, { what: "Volcano's scheduler to create the queue default", limitMs: 120_000 });
  await client.patchStatus(QUEUES, key, { status: { state: 'Open' } });
  return scheduler;
}
