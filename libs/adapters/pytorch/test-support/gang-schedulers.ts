/**
 * Gang schedulers that are no part of Kubernetes, beside its own scheduler in a cluster with simulated nodes: their CRDs, and their
 * programs as processes of this machine. They are built when they are not there, which takes minutes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BINARIES,
  ensureBinaries,
  moduleFolder,
  runCommand,
  terminalProgress,
  type BinaryName,
  type Cluster,
} from '@muster/cluster';
import type { Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import { eventually } from '@muster/testing';

export interface RunningScheduler {
  /** What it wrote last. */
  log(): string;
  stop(): Promise<void>;
}

const QUEUES: Resource = {
  group: 'scheduling.volcano.sh',
  version: 'v1beta1',
  kind: 'Queue',
  plural: 'queues',
  namespaced: false,
};

/**
 * Volcano's, with a queue `default`. That is opened by hand: it is the work of Volcano's controller manager, which is not here.
 *
 * @param client an administrator's
 */
export async function startVolcano(cluster: Cluster, client: KubeClient): Promise<RunningScheduler> {
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
  const describe = () => `the queue "default"; the scheduler says ${scheduler.log()}`;
  await eventually(() => client.get(QUEUES, key), { withinMs: 120_000, describe });
  await client.patchStatus(QUEUES, key, { status: { state: 'Open' } });
  return scheduler;
}

/** That of scheduler-plugins with the plugin Coscheduling, under this name. */
export async function startCoscheduling(cluster: Cluster, name: string): Promise<RunningScheduler> {
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
  // Its plugin does not look again at a gang when other pods end, so those that wait have to be tried again by the clock.
  const again = '--pod-max-in-unschedulable-pods-duration=5s';
  return startProgram('scheduler-plugins', [`--config=${file}`, '--secure-port=0', again]);
}

/** What the project publishes beside the program. */
async function installCrdsOf(cluster: Cluster, program: BinaryName, folder: string, names: readonly string[]) {
  const source = await moduleFolder(BINARIES[program]);
  const kubectl = (...args: string[]) =>
    runCommand(join(cluster.binDir, 'kubectl'), [`--kubeconfig=${cluster.kubeconfig}`, ...args]);
  const files = names.map((name) => `--filename=${join(source, folder, `${name}.yaml`)}`);
  await kubectl('apply', '--server-side', ...files);
  await kubectl('wait', '--for=condition=Established', '--timeout=60s', ...files);
}

async function startProgram(program: BinaryName, args: readonly string[]): Promise<RunningScheduler> {
  const [file = ''] = await ensureBinaries([program], terminalProgress());
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (lines = [...lines, String(text)].slice(-20)));
  }
  return { log: () => lines.join(''), stop: () => stopped(child) };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
