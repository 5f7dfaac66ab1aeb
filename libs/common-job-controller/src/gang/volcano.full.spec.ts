/** Uses Volcano's own scheduler, which is built if necessary, and one simulated node with capacity for ten pods. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEASES, PODS, type Pod, type Resource, type VolcanoPodGroup } from '@muster/job-api';
import {
  BINARIES,
  clusterDown,
  clusterUp,
  ensureBinaries,
  moduleFolder,
  runCommand,
  terminalProgress,
  type Cluster,
} from '@muster/cluster';
import { createKubeClient, loadCluster, type ClusterClient, type KubeClient } from '@muster/kube';
import { eventually } from '@muster/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { storedOwner } from '../../test-support/stored-owner.ts';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { gangSize } from './gang-size.ts';
import { VOLCANO } from './volcano.ts';

const CLUSTER = `volcano-${process.pid}`;
const NAMESPACE = 'default';
const BUILD_LIMIT_MS = 3_600_000;
const CASE_LIMIT_MS = 180_000;
const WAIT = { withinMs: 120_000 };

/** A node has 64 CPUs: ten pods of this size fit, and overcommit admits up to 76.8 CPUs. */
const REQUESTS = { cpu: '6' };
const SCHEDULER_CONFIGURATION = `
actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: overcommit}]
- plugins: [{name: predicates}, {name: nodeorder}]
`;
const CRDS = [
  'scheduling.volcano.sh_podgroups',
  'scheduling.volcano.sh_queues',
  'topology.volcano.sh_hypernodes',
  'nodeinfo.volcano.sh_numatopologies',
];
const QUEUES: Resource = {
  group: 'scheduling.volcano.sh',
  version: 'v1beta1',
  kind: 'Queue',
  plural: 'queues',
  namespaced: false,
};

let client: ClusterClient;
let scheduler: VolcanoScheduler | undefined;

class VolcanoScheduler {
  #process: ChildProcess;
  #lines: string[] = [];

  constructor(file: string, { kubeconfig, stateDir }: Cluster) {
    const configuration = join(stateDir, 'volcano-scheduler.conf');
    writeFileSync(configuration, SCHEDULER_CONFIGURATION);
    const args = [
      `--kubeconfig=${kubeconfig}`,
      `--scheduler-conf=${configuration}`,
      '--leader-elect=false',
      '--enable-healthz=false',
      '--cache-dumper=false',
    ];
    this.#process = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on('data', (text: Buffer) => (this.#lines = [...this.#lines, String(text)].slice(-20)));
    }
  }

  get log(): string {
    return this.#lines.join('');
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await ended;
  }
}

/** Opens the queue, which is normally done by Volcano's controller-manager. */
async function openDefaultQueue(kube: KubeClient): Promise<void> {
  const key = { name: 'default' };
  const describe = () => `the queue "default"; scheduler log: ${scheduler?.log}`;
  await eventually(() => kube.get(QUEUES, key), { ...WAIT, describe });
  await kube.patchStatus(QUEUES, key, { status: { state: 'Open' } });
}

beforeAll(async () => {
  const progress = terminalProgress();
  const [file = ''] = await ensureBinaries(['vc-scheduler'], progress);
  const source = await moduleFolder(BINARIES['vc-scheduler']);
  const cluster = await clusterUp({ name: CLUSTER, nodes: 1, progress });
  const kubectl = (...args: string[]) =>
    runCommand(join(cluster.binDir, 'kubectl'), [`--kubeconfig=${cluster.kubeconfig}`, ...args]);
  const files = CRDS.map((name) => join(source, 'config/crd/volcano/bases', `${name}.yaml`));
  await kubectl('apply', '--server-side', ...files.map((path) => `--filename=${path}`));
  await kubectl('wait', '--for=condition=Established', '--timeout=60s', ...files.map((path) => `--filename=${path}`));
  client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), { userAgent: 'muster-test/0' });
  scheduler = new VolcanoScheduler(file, cluster);
  await openDefaultQueue(client);
}, BUILD_LIMIT_MS);

afterAll(async () => {
  await scheduler?.stop();
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, CASE_LIMIT_MS);

afterEach(async () => {
  const groups = await client.list(VOLCANO.groups.resource, { namespace: NAMESPACE });
  for (const { metadata } of groups.items) {
    await client.delete(VOLCANO.groups.resource, { name: metadata?.name ?? '', namespace: NAMESPACE });
  }
  for (const { metadata } of await pods()) {
    await client.delete(PODS, { name: metadata?.name ?? '', namespace: NAMESPACE }, { gracePeriodSeconds: 0 });
  }
  await client.delete(LEASES, { name: 'mnist', namespace: NAMESPACE });
  await eventually(async () => (await pods()).length === 0, {
    ...WAIT,
    describe: 'the pods of the last case are gone',
  });
}, CASE_LIMIT_MS);

async function pods(): Promise<Pod[]> {
  return (await client.list(PODS, { namespace: NAMESPACE })).items;
}

function podGroup(): Promise<VolcanoPodGroup> {
  return client.get(VOLCANO.groups.resource, { name: 'mnist', namespace: NAMESPACE });
}

async function jobOf(workers: number, minAvailable?: number): Promise<TrainingJob> {
  const stored = await storedOwner(client, NAMESPACE);
  const schedulingPolicy = minAvailable === undefined ? {} : { schedulingPolicy: { minAvailable } };
  const job = trainingJob([role('Worker', workers, podSpec(REQUESTS))], {
    namespace: NAMESPACE,
    stored,
    ...schedulingPolicy,
  });
  await client.create(VOLCANO.groups.resource, desiredGroup(job));
  return job;
}

function desiredGroup(job: TrainingJob): VolcanoPodGroup {
  return VOLCANO.groups.desired(job, gangSize(NO_RULES, job));
}

async function started(job: TrainingJob): Promise<void> {
  await eventually(async () => VOLCANO.groups.waitsFor(await podGroup()) === undefined, {
    ...WAIT,
    describe: () => `the PodGroup is admitted; scheduler log: ${scheduler?.log}`,
  });
  for (const worker of job.roles) {
    for (let index = 0; index < worker.replicas; index++) {
      const pod = { metadata: { name: `mnist-worker-${index}`, namespace: NAMESPACE }, spec: podSpec(REQUESTS) };
      await client.create(PODS, VOLCANO.decorate(pod, job, { role: worker, index }, NO_RULES));
    }
  }
}

async function phases(): Promise<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { status, spec } of await pods()) {
    const phase = `${status?.phase}${spec?.nodeName === undefined ? '' : ' on a node'}`;
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

describe("a gang under Volcano's scheduler", { timeout: CASE_LIMIT_MS }, () => {
  it('places no pod if only ten of twelve fit', async () => {
    await started(await jobOf(12));
    await eventually(
      async () =>
        expect(VOLCANO.groups.unschedulable(await podGroup())).toMatch(
          /^NotEnoughResources: .*12 Pending, 12 minAvailable; Pending: 10 Schedulable, 2 Unschedulable/,
        ),
      { ...WAIT, describe: () => `the scheduler reports all pods as unschedulable; scheduler log: ${scheduler?.log}` },
    );
    expect(await phases()).toEqual({ Pending: 12 });
  });

  it('places all pods if they fit', async () => {
    const job = await jobOf(8);
    await started(job);
    await eventually(async () => expect(await phases()).toEqual({ 'Running on a node': 8 }), WAIT);
    const group = await eventually(async () => {
      const read = await podGroup();
      return read.status?.phase === 'Running' && read;
    }, WAIT);
    expect([VOLCANO.groups.waitsFor(group), VOLCANO.groups.unschedulable(group)]).toEqual([undefined, undefined]);
    expect(VOLCANO.groups.change(group, desiredGroup(job))).toBeUndefined();
  });

  it('places the minimum of its policy', async () => {
    await started(await jobOf(12, 10));
    await eventually(async () => expect(await phases()).toEqual({ 'Running on a node': 10, Pending: 2 }), WAIT);
  });

  it('waits without pods while its queue has no capacity', async () => {
    await jobOf(20);
    const message = await eventually(
      async () => /.* capacity .*/.exec(VOLCANO.groups.waitsFor(await podGroup()) ?? '')?.[0],
      WAIT,
    );
    expect(message).toMatch(/^PodGroup mnist waits for capacity in queue default/);
  });
});
