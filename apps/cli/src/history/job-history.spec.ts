import { pytorchAdapter } from '@muster/adapter-pytorch';
import { newWorld, planJob, type JobManifest, type World } from '@muster/common-job-controller';
import { admitted, pytorchJobDefinition, type Pod, type Service } from '@muster/job-api';
import { fromTaggedJson, recordOf, taggedJson, type RunRecord } from '@muster/recording';
import { describe, expect, it } from 'vitest';
import { JobHistory } from './job-history.ts';
import { historyPage } from './history-page.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
const NOW = Date.parse('2030-01-01T12:00:00Z');
const adapter = pytorchAdapter();

const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/a:1' }] } };
const MANIFEST: JobManifest = admitted(pytorchJobDefinition, {
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  metadata: { name: 'mnist', namespace: 'team', uid: 'job-1', generation: 1 },
  spec: {
    runPolicy: { backoffLimit: 6 },
    pytorchReplicaSpecs: { Worker: { replicas: 2, restartPolicy: 'OnFailure', template } },
  },
});

/** A life of the job: each run is planned from what the run before has written, and a change. */
class Life {
  manifest = MANIFEST;
  pods: Pod[] = [];
  services: Service[] = [];
  nowMs = NOW;
  readonly records: RunRecord[] = [];
  #more: Partial<World> = {};
  #uids = 0;

  run(seconds: number, change: (life: Life) => void = () => {}, more: Partial<World> = {}): this {
    this.nowMs += seconds * 1000;
    this.#more = { ...this.#more, ...more };
    change(this);
    const { manifest, pods, services, nowMs } = this;
    const world: World = {
      ...newWorld(manifest, nowMs),
      pods,
      services,
      hasWrittenStatus: true,
      seenForMs: nowMs - NOW,
      ...this.#more,
    };
    const plan = planJob(adapter, world, SETTINGS);
    this.records.push(fromTaggedJson(taggedJson(recordOf({ adapter, settings: SETTINGS, world, plan }))) as RunRecord);
    if (plan.status !== undefined) this.manifest = { ...manifest, status: plan.status.status };
    for (const write of plan.writes) {
      if (!('object' in write)) continue;
      if (write.op === 'create' && write.resource.kind === 'Service') {
        this.services = [...this.services, write.object as Service];
      }
      if (write.resource.kind !== 'Pod') continue;
      const name = write.object.metadata?.name ?? '';
      if (write.op === 'delete') this.pods = this.pods.filter(({ metadata }) => metadata?.name !== name);
      if (write.op === 'create') {
        const metadata = { ...write.object.metadata, uid: `pod-${++this.#uids}` };
        this.pods = [...this.pods, { ...write.object, metadata, status: { phase: 'Pending' } } as Pod];
      }
    }
    return this;
  }

  /** Of all pods, or those with the name. */
  status(status: object, spec: object = {}, name = ''): void {
    this.pods = this.pods.map((pod) =>
      pod.metadata?.name?.endsWith(name) === true
        ? ({ ...pod, spec: { ...pod.spec, ...spec }, status: { ...pod.status, ...status } } as Pod)
        : pod,
    );
  }
}

function pageOf(records: readonly RunRecord[], gone?: number): string {
  const history = new JobHistory(() => adapter);
  records.forEach((record, at) => history.add(record, `runs.jsonl:${at + 1}`));
  if (gone !== undefined) history.addDeletion(gone, 'runs.jsonl:99');
  const job = {
    resource: 'pytorchjobs.kubeflow.org',
    kind: 'PyTorchJob',
    namespace: 'team',
    name: 'mnist',
    uid: 'job-1',
  };
  return historyPage(job, history.entries);
}

const killed = { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2030-01-01T12:00:30Z' } };
const FAILED = { phase: 'Failed', containerStatuses: [{ name: 'pytorch', restartCount: 0, state: killed }] };
const RUNNING = { phase: 'Running', containerStatuses: [{ name: 'pytorch', restartCount: 0, state: { running: {} } }] };

describe('the history of a job', () => {
  it('lists each decision below the change that caused it', () => {
    const life = new Life()
      .run(0)
      .run(5, (the) => the.status(RUNNING, { nodeName: 'gpu-7' }))
      .run(25, (the) => the.status(FAILED, {}, 'worker-1'));
    // Until the back-off of the restart is over.
    life.run(20).run(30);
    expect(pageOf(life.records)).toMatchInlineSnapshot(`
      "PyTorchJob team/mnist (UID job-1), 5 recorded runs

      2030-01-01T12:00:00Z  the job was created
                            => sets the condition Created (PyTorchJobCreated): PyTorchJob mnist is created.
                            => creates Services mnist, mnist-worker-0
                            => creates pods mnist-worker-0, mnist-worker-1
      2030-01-01T12:00:05Z  pods mnist-worker-0, mnist-worker-1 started on node gpu-7
                            Services mnist, mnist-worker-0 appeared
                            => sets the condition Running (PyTorchJobRunning): PyTorchJob team/mnist is running.
      2030-01-01T12:00:30Z  pod mnist-worker-1 failed: container pytorch: exit code 137 (OOMKilled): the container used more memory than its limit, and was killed
                            => sets the condition Restarting (PyTorchJobRestarting): job mnist is restarting because Worker replica(s) failed. First: pod mnist-worker-1, container pytorch: exit code 137 (OOMKilled)
                            => counts restart 1 of 6 (backoffLimit)
                            => records the first failure: pod mnist-worker-1, class OutOfMemory
                            => deletes pod mnist-worker-1
      2030-01-01T12:00:50Z  pod mnist-worker-1 disappeared
                            => recreates pod mnist-worker-1
      2030-01-01T12:01:20Z  pod mnist-worker-1 appeared
                            1 run without a decision
      "
    `);
  });

  it('folds runs without a decision, with their changes', () => {
    const life = new Life().run(0);
    const [quiet] = life.records as [RunRecord];
    const calm = (nowMs: number, phase: string): RunRecord => ({
      ...quiet,
      world: {
        ...quiet.world,
        nowMs,
        pods: life.pods.map((pod) => ({ ...pod, status: { phase } })),
      },
      plan: { events: [], writes: [], lacks: { writes: [], because: [] } },
    });
    const page = pageOf([
      ...life.records,
      calm(NOW + 1000, 'Pending'),
      calm(NOW + 2000, 'Running'),
      calm(NOW + 3000, 'Running'),
    ]);
    expect(page).toContain('2030-01-01T12:00:03Z  pods mnist-worker-0, mnist-worker-1 appeared\n');
    expect(page).toContain('pods mnist-worker-0, mnist-worker-1 started\n');
    expect(page).toContain(' 3 runs without a decision\n');
    expect(page.match(/^2030/gm)).toHaveLength(2);
  });

  it('names changed fields of the job, the request to delete it, and that it is gone', () => {
    const life = new Life().run(0).run(5, (the) => {
      const spec = { ...the.manifest.spec, runPolicy: { backoffLimit: 6, suspend: true } };
      the.manifest = { ...the.manifest, spec, metadata: { ...the.manifest.metadata, generation: 2 } };
    });
    life.run(5, (the) => {
      the.manifest = {
        ...the.manifest,
        metadata: { ...the.manifest.metadata, deletionTimestamp: '2030-01-01T12:00:10Z' },
      };
    });
    const page = pageOf(life.records, life.nowMs + 1000);
    expect(page).toContain('the job was changed: spec.runPolicy.suspend: false -> true\n');
    expect(page).toContain('=> sets the condition Suspended');
    expect(page).toContain('the deletion of the job was requested\n');
    expect(page).toMatch(/2030-01-01T12:00:11Z {2}the job is gone\n$/);
  });

  it('reports runs that were not recorded', () => {
    const life = new Life().run(0).run(5, (the) => the.status(RUNNING));
    const [first, second] = life.records as [RunRecord, RunRecord];
    expect(pageOf([first, { ...second, leftOut: 7 }])).toContain(
      '2030-01-01T12:00:05Z  (7 runs of the operator before this were not recorded)\n',
    );
  });

  it('names conditions that a run has set which was not recorded', () => {
    const life = new Life()
      .run(0)
      .run(5, (the) => the.status(RUNNING))
      .run(5);
    const [first, , third] = life.records as [RunRecord, RunRecord, RunRecord];
    expect(pageOf(life.records)).not.toContain('not recorded');
    expect(pageOf([first, { ...third, leftOut: 1 }])).toContain(
      'a run that is not recorded has set the condition Running (PyTorchJobRunning): PyTorchJob team/mnist is running.\n',
    );
  });

  it('names refused writes, lost nodes and a new process of the operator', () => {
    const refused = {
      ...{
        verb: 'Create' as const,
        kind: 'Pod',
        names: new Set(['mnist-worker-0']),
        isOptional: false,
        generation: 1,
        waitMs: 9,
      },
      ...{ reason: 'FailedCreate' as never, message: 'exceeded quota: gpus' },
    };
    const life = new Life()
      .run(0)
      .run(5, (the) => the.status(RUNNING, { nodeName: 'gpu-7' }))
      .run(5, () => {}, { writeFailures: [refused], lostNodes: new Map([['gpu-7', NOW]]), seenForMs: 0 });
    const page = pageOf(life.records);
    expect(page).toContain('the API server refused to create a Pod: exceeded quota: gpus\n');
    expect(page).toContain('node gpu-7 became not ready\n');
    expect(page).toContain('another process of the operator began to run the job\n');
  });
});
