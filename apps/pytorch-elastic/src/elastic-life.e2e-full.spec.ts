/**
 * An elastic job on a real node: a HorizontalPodAutoscaler adds workers by the measurements of metrics-server, `kubectl scale`
 * removes workers, the host of the rendezvous and then another worker are deleted, and the job succeeds. Training never resumes from
 * before the last checkpoint.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureBinaries, terminalProgress } from '@muster/cluster';
import {
  HORIZONTAL_POD_AUTOSCALERS,
  PODS,
  PYTORCH_CONTAINER,
  PYTORCH_JOBS,
  type PyTorchJob,
  type Resource,
} from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import {
  eventually,
  startMetricsServer,
  trainingFixture,
  TRAINING_TIMEOUT_MS,
  type MetricsServer,
} from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const STEP_MS = 300_000;
const BUILD_LIMIT_MS = 3_600_000;

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);
const { client } = fixture;
let metricsServer: MetricsServer | undefined;

beforeAll(async () => {
  const [file = ''] = await ensureBinaries(['metrics-server'], terminalProgress());
  metricsServer = await startMetricsServer(fixture.cluster, file);
}, BUILD_LIMIT_MS);

afterAll(() => metricsServer?.stop());

async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await run('kubectl', [
    '--kubeconfig',
    fixture.kubeconfig,
    '--namespace',
    fixture.namespace,
    ...args,
  ]);
  return stdout;
}

/** The epochs in the workers' logs, including those of deleted pods. */
class Epochs {
  readonly #job: string;
  #newest = 0;

  constructor(job: string) {
    this.#job = job;
  }

  /** The last finished epoch, and its number of workers. Only the pod with rank 0 logs them. */
  async read(): Promise<{ epoch: number; workers: number }> {
    let last = { epoch: 0, workers: 0 };
    for (const log of await this.logs()) {
      for (const [, epoch, workers] of log.matchAll(/^epoch (\d+)\/\d+ loss \S+ workers (\d+)$/gm)) {
        if (Number(epoch) >= last.epoch) last = { epoch: Number(epoch), workers: Number(workers) };
      }
    }
    this.#newest = Math.max(this.#newest, last.epoch);
    return last;
  }

  get newest(): number {
    return this.#newest;
  }

  async logs(): Promise<string[]> {
    const { items } = await client.list(PODS, { namespace: fixture.namespace });
    const names = items.map(({ metadata }) => metadata?.name ?? '').filter((name) => name.startsWith(`${this.#job}-`));
    return Promise.all(
      names.map((name) =>
        // A container that has not started has no log.
        fixture.logOf(name).catch((error: unknown) => {
          if (isKubeError(error)) return '';
          throw error;
        }),
      ),
    );
  }

  /** Waits until that many workers finish another epoch. Fails if training resumed from before the last checkpoint. */
  async finishEpoch(workers: number): Promise<void> {
    const known = this.#newest;
    let seen: unknown;
    await eventually(
      async () => {
        const last = await this.read();
        seen = last;
        return last.workers === workers && last.epoch > known;
      },
      {
        withinMs: STEP_MS,
        describe: async () => ({ expected: { workers, after: known }, seen, ...(await this.#around()) }),
      },
    );
    for (const log of await this.logs()) {
      const resumed = [...log.matchAll(/^resumed from epoch (\d+)$/gm)].map(([, epoch]) => Number(epoch));
      const back = resumed.filter((epoch, index) => epoch < (resumed[index - 1] ?? 0));
      expect(back, log).toEqual([]);
    }
  }

  /** Waits until the pod has another UID and has joined the others. */
  async recreatedAndJoined(pod: string, uidBefore: string): Promise<void> {
    await eventually(
      async () => {
        const { metadata } = await client.get(PODS, { namespace: fixture.namespace, name: pod });
        if (metadata?.uid === uidBefore) return false;
        return /^worker \d+ of \d+ joined$/m.test(await fixture.logOf(pod));
      },
      { withinMs: STEP_MS, describe: () => this.#around() },
    );
  }

  async #around() {
    const job = await client.get(PYTORCH_JOBS, { namespace: fixture.namespace, name: this.#job });
    return {
      status: job.status,
      logs: (await this.logs()).map((log) => log.slice(-800)),
      operator: fixture.operatorLog,
    };
  }
}

/** The epoch from which training resumed last, by the logs of existing pods. */
async function resumedFrom(epochs: Epochs): Promise<number> {
  const all = (await epochs.logs()).flatMap((log) => [...log.matchAll(/^resumed from epoch (\d+)$/gm)]);
  return Math.max(...all.map(([, epoch]) => Number(epoch)));
}

async function workersToBe(name: string, replicas: number): Promise<void> {
  let seen: unknown;
  await eventually(
    async () => {
      const scale = await client.raw<{ spec: { replicas: number }; status: { replicas: number; selector: string } }>(
        `/apis/kubeflow.org/v1/namespaces/${fixture.namespace}/pytorchjobs/${name}/scale`,
      );
      const autoscaler = await client
        .get(HORIZONTAL_POD_AUTOSCALERS, { namespace: fixture.namespace, name })
        .catch(() => undefined);
      const { items } = await client.list(PODS, { namespace: fixture.namespace, labelSelector: scale.status.selector });
      seen = { scale, pods: items.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`), autoscaler };
      return scale.spec.replicas === replicas && scale.status.replicas === replicas && items.length === replicas;
    },
    { withinMs: STEP_MS, describe: () => ({ expected: { replicas }, seen, operator: fixture.operatorLog }) },
  );
}

/** Ends the pauses between epochs. The job may end before this is called for every worker. */
async function hurry(job: string, pod: string): Promise<void> {
  await eventually(
    async () => {
      const { status } = await client.get(PYTORCH_JOBS, { namespace: fixture.namespace, name: job });
      if (status?.completionTime !== undefined) return true;
      await kubectl('exec', pod, '-c', PYTORCH_CONTAINER, '--', 'touch', '/checkpoint/hurry');
      return true;
    },
    { withinMs: STEP_MS, describe: () => ({ expected: `hurry in ${pod}`, operator: fixture.operatorLog }) },
  );
}

describe('an elastic PyTorchJob on a real node', { timeout: 4 * TRAINING_TIMEOUT_MS }, () => {
  it('grows with its load, is scaled down by kubectl, loses two workers, and resumes from its last checkpoint each time', async () => {
    const manifest = await fixture.example<PyTorchJob>('autoscaled');
    const { name } = manifest.metadata;
    const { namespace } = fixture;
    const epochs = new Epochs(name);
    await client.create(PYTORCH_JOBS, manifest);
    await workersToBe(name, 4);
    await epochs.finishEpoch(4);

    await client.patch(PYTORCH_JOBS, { namespace, name }, { spec: { elasticPolicy: { metrics: null } } });
    await eventually(
      async () => (await client.list(HORIZONTAL_POD_AUTOSCALERS as Resource, { namespace })).items.length === 0,
      { withinMs: STEP_MS, describe: () => ({ expected: 'the autoscaler is gone', operator: fixture.operatorLog }) },
    );
    await expect(kubectl('scale', `pytorchjob/${name}`, '--replicas=5')).rejects.toThrow(
      'must stay within elasticPolicy',
    );
    await kubectl('scale', `pytorchjob/${name}`, '--replicas=2');
    await workersToBe(name, 2);
    await epochs.finishEpoch(2);

    for (const lost of [`${name}-worker-0`, `${name}-worker-1`]) {
      await epochs.read();
      const before = epochs.newest;
      const { metadata } = await client.get(PODS, { namespace, name: lost });
      await kubectl('delete', 'pod', lost, '--wait=false');
      // Output of the old workers does not count.
      await epochs.recreatedAndJoined(lost, metadata?.uid ?? '');
      await epochs.read();
      await epochs.finishEpoch(2);
      // An epoch is printed before it is saved.
      expect(await resumedFrom(epochs)).toBeGreaterThanOrEqual(before - 1);
    }

    await Promise.all([hurry(name, `${name}-worker-0`), hurry(name, `${name}-worker-1`)]);
    const { status } = await fixture.toSucceed(PYTORCH_JOBS, name);
    expect(status?.elastic).toMatchObject({
      minReplicas: 2,
      maxReplicas: 4,
      wanted: 2,
      granted: 2,
      reason: 'AsWanted',
    });
    const logs = (await epochs.logs()).join('\n');
    expect(logs).toMatch(/^workers agree$/m);
    expect(logs).toMatch(/^done loss [\d.]+ -> [\d.]+ workers 2$/m);
    await expect(kubectl('scale', `pytorchjob/${name}`, '--replicas=3')).rejects.toThrow('the job has ended');
  });
});
