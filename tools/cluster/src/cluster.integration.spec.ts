import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Cluster,
  clusterDown,
  clusterStatus,
  clusterUp,
  KUBERNETES_VERSION,
  type Progress,
  SIMULATE_AFTER_ANNOTATION,
  SIMULATE_EXIT_CODE_ANNOTATION,
  SIMULATE_LABEL,
} from './index.ts';
import { findMarkedProcesses } from './processes/component.ts';
import { runCommand } from './run-command.ts';
import { waitUntil } from './wait-until.ts';

/** Enough time for the first run on a machine, which builds Kubernetes. */
const FIRST_START_MS = 40 * 60_000;

interface Pod {
  status: {
    phase: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { state: { running?: object; terminated?: { exitCode: number; reason: string } } }[];
    initContainerStatuses?: { state: { terminated?: { exitCode: number } } }[];
  };
}

describe('a simulated cluster', () => {
  const name = `it-${randomBytes(3).toString('hex')}`;
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await clusterUp({ name, nodes: 3 });
  }, FIRST_START_MS);

  afterAll(async () => void (await clusterDown({ name })), 60_000);

  const kubectl = (args: string[], input?: string) =>
    runCommand(
      join(cluster.binDir, 'kubectl'),
      ['--kubeconfig', cluster.kubeconfig, ...args],
      input === undefined ? {} : { input },
    );

  const createPod = async (podName: string, metadata: object) => {
    const spec = {
      restartPolicy: 'Never',
      initContainers: [{ name: 'prepare', image: 'none' }],
      containers: [
        { name: 'main', image: 'none' },
        { name: 'helper', image: 'none' },
      ],
    };
    await kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: podName, ...metadata }, spec }),
    );
  };

  const podInPhase = async (podName: string, phase: string): Promise<Pod> => {
    let pod: Pod = { status: { phase: 'unknown' } };
    const missing = async () => {
      pod = JSON.parse((await kubectl(['get', 'pod', podName, '-o', 'json'])).stdout) as Pod;
      return pod.status.phase === phase ? undefined : JSON.stringify(pod.status);
    };
    await waitUntil(missing, { what: `phase ${phase} of pod ${podName}`, limitMs: 90_000 });
    return pod;
  };

  it('has the requested number of nodes, all ready', async () => {
    const { stdout } = await kubectl([
      'get',
      'nodes',
      '-o',
      'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status} {end}',
    ]);
    expect(stdout.trim()).toBe('True True True');
  });

  it('runs a pod without a label and keeps it running, its init containers done', async () => {
    await createPod('plain', {});
    const { status } = await podInPhase('plain', 'Running');
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    expect(status.containerStatuses?.every(({ state }) => state.running !== undefined)).toBe(true);
    expect(status.initContainerStatuses?.map(({ state }) => state.terminated?.exitCode)).toEqual([0]);
  });

  it('ends a pod with the label for success, with exit code 0 of all containers', async () => {
    await createPod('good', { labels: { [SIMULATE_LABEL]: 'succeed' } });
    const { status } = await podInPhase('good', 'Succeeded');
    expect(status.containerStatuses?.map(({ state }) => state.terminated?.exitCode)).toEqual([0, 0]);
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'PodScheduled', status: 'True' }));
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False' }));
  });

  it('fails a pod with the label for failure, with exit code 1 or that of its annotation', async () => {
    await createPod('bad', { labels: { [SIMULATE_LABEL]: 'fail' } });
    await createPod('killed', {
      labels: { [SIMULATE_LABEL]: 'fail' },
      annotations: { [SIMULATE_EXIT_CODE_ANNOTATION]: '137', [SIMULATE_AFTER_ANNOTATION]: '1s' },
    });
    const [bad, killed] = [await podInPhase('bad', 'Failed'), await podInPhase('killed', 'Failed')];
    expect(bad.status.containerStatuses?.map(({ state }) => state.terminated)).toEqual([
      expect.objectContaining({ exitCode: 1, reason: 'Error' }),
      expect.objectContaining({ exitCode: 1, reason: 'Error' }),
    ]);
    expect(killed.status.containerStatuses?.map(({ state }) => state.terminated?.exitCode)).toEqual([137, 137]);
  });

  it('lets pods be deleted', async () => {
    await createPod('gone', {});
    await kubectl(['delete', 'pod', 'gone', '--timeout=90s']);
    expect((await kubectl(['get', 'pod', 'gone', '--ignore-not-found'])).stdout).toBe('');
  });

  it('is kept by a second start, which reports that it is running', async () => {
    const before = await clusterStatus({ name });
    const notes: string[] = [];
    const progress: Progress = {
      step: (_title, work) => work({ detail: () => undefined }),
      note: (line) => void notes.push(line),
    };
    expect(await clusterUp({ name, progress })).toEqual(cluster);
    expect(notes).toEqual([`Cluster "${name}" is already running.`]);
    expect((await clusterStatus({ name })).components).toEqual(before.components);
  });

  it('is not changed into one with other nodes', async () => {
    await expect(clusterUp({ name, nodes: 4 })).rejects.toThrow(/is running with 3 simulated nodes/);
    await expect(clusterUp({ name, kubernetesVersion: '1.31.3' })).rejects.toThrow(
      `and Kubernetes ${KUBERNETES_VERSION}: take`,
    );
  });

  it('is recreated by a start after half of its processes were killed', async () => {
    const before = await clusterStatus({ name });
    for (const { pid } of before.components.filter((_, index) => index % 2 === 0)) process.kill(pid, 'SIGKILL');
    const killed = async () => {
      const { state } = await clusterStatus({ name });
      return state === 'degraded' ? undefined : `it is ${state}`;
    };
    // The kernel ends a killed process with a delay.
    await waitUntil(killed, { what: 'the cluster to be degraded', limitMs: 30_000 });
    cluster = await clusterUp({ name, nodes: 3 });
    expect((await clusterStatus({ name })).state).toBe('running');
    await createPod('again', { labels: { [SIMULATE_LABEL]: 'succeed' } });
    await podInPhase('again', 'Succeeded');
  }, 300_000);

  it('leaves neither a process nor a file when it is taken down', async () => {
    expect(await clusterDown({ name })).toBe(true);
    expect(findMarkedProcesses(cluster.stateDir)).toEqual([]);
    expect(existsSync(cluster.stateDir)).toBe(false);
    expect(await clusterDown({ name })).toBe(false);
  }, 60_000);

  it('leaves nothing but logs when its start is interrupted', async () => {
    const controller = new AbortController();
    const progress: Progress = {
      step: (title, work) => {
        if (title.startsWith('Waiting')) controller.abort(new Error('enough'));
        return work({ detail: () => undefined });
      },
      note: () => undefined,
    };
    await expect(clusterUp({ name, progress, signal: controller.signal })).rejects.toThrow('enough');
    expect(findMarkedProcesses(cluster.stateDir)).toEqual([]);
    expect((await clusterStatus({ name })).state).toBe('absent');
  }, 120_000);
});
