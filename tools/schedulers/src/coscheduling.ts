/** The scheduler of scheduler-plugins. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '@muster/cluster';
import { installCrdsOf, startProgram, type RunningProgram } from './program.ts';

/** The scheduler of scheduler-plugins with the plugin Coscheduling, under this name. */
export async function startCoscheduling(cluster: Cluster, name: string): Promise<RunningProgram> {
  await installCrdsOf(cluster, 'scheduler-plugins', 'config/crd/bases', ['scheduling.x-k8s.io_podgroups']);
  const file = join(cluster.stateDir, `${name}.json`);
  const plugins = [{ name: 'Coscheduling' }];
  const configuration = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig: cluster.kubeconfig },
    profiles: [
      {
        schedulerName: name,
        plugins: { multiPoint: { enabled: plugins }, queueSort: { enabled: plugins, disabled: [{ name: '*' }] } },
        pluginConfig: [{ name: 'Coscheduling', args: { permitWaitingTimeSeconds: 10 } }],
      },
    ],
  };
  writeFileSync(file, JSON.stringify(configuration));
  // The plugin does not reconsider a gang when other pods end, so waiting ones are retried periodically.
  const again = '--pod-max-in-unschedulable-pods-duration=5s';
  return startProgram('scheduler-plugins', [`--config=${file}`, '--secure-port=0', again]);
}
