/** MPIJobs on a real node whose workers fail, or whose number of workers changes. */
import { LABELS, MPI_JOBS, type MPIJob } from '@muster/job-api';
import { TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { mpiFixture, workersOf } from '../test-support/mpi-fixture.ts';

const fixture = await mpiFixture();
const { training } = fixture;
const { client } = training;
const namespace = () => training.namespace;

describe('workers of an MPIJob on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('fails a v1 job when a worker fails under Never, and reports the exit code', async () => {
    const { spec } = await failingWorker('v1-never', 'Never');
    expect(spec.apiGeneration).toBe('v1');
    const { status } = await training.toEnd(MPI_JOBS, 'v1-never', 'Failed');
    const { message = '' } = status?.conditions?.find(({ type }) => type === 'Failed') ?? {};
    expect(message).toContain('Worker replica(s) failed');
    expect(message).toContain('exit code 3');
  });

  it('restarts a worker that fails under OnFailure, and the job succeeds', async () => {
    await failingWorker('v1-on-failure', 'OnFailure');
    const { status } = await training.toSucceed(MPI_JOBS, 'v1-on-failure');
    expect(status?.restartCount).toBeGreaterThan(0);
    await fixture.expectPi('v1-on-failure', workersOf('v1-on-failure'));
  });

  it('updates discover_hosts.sh when workers are added and removed while the launcher runs', async () => {
    const manifest = await training.example<MPIJob>('pi-v1');
    const { Launcher: launcher, ...others } = manifest.spec.mpiReplicaSpecs ?? {};
    const [container] = launcher?.template.spec?.containers ?? [];
    if (launcher === undefined || container === undefined) throw new Error('pi-v1.yaml has a launcher');
    const name = 'elastic';
    // Polls the hosts like Elastic Horovod.
    const wait = (until: string) =>
      `until [ "$(sh /etc/mpi/discover_hosts.sh | grep -c .)" = ${until} ]; do sleep 0.2; done`;
    const script = `${wait('2')}; echo two; ${wait('3')}; echo three; ${wait('1')}; echo one; sh /etc/mpi/discover_hosts.sh`;
    const template = {
      spec: { ...launcher.template.spec, containers: [{ ...container, command: ['sh', '-c', script] }] },
    };
    await fixture.create({
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: { ...manifest.spec, mpiReplicaSpecs: { ...others, Launcher: { ...launcher, template } } },
    });
    const scale = (replicas: number) =>
      client.patch(MPI_JOBS, { namespace: namespace(), name }, { spec: { mpiReplicaSpecs: { Worker: { replicas } } } });
    const { metadata } = await training.podOf(name, { [LABELS.jobRole]: 'master' });
    await training.logged(metadata.name, /^two$/m);
    await scale(3);
    await training.logged(metadata.name, /^three$/m);
    await scale(1);
    await training.toSucceed(MPI_JOBS, name);
    expect(await training.logOf(metadata.name)).toMatch(/^one\n.*elastic-worker-0:2/ms);
  });

  it('lists only hosts whose names resolve in discover_hosts.sh, also when workers are added', async () => {
    const manifest = await training.example<MPIJob>('pi-v2beta1');
    const { Launcher: launcher, Worker: worker } = manifest.spec.mpiReplicaSpecs ?? {};
    const [container] = launcher?.template.spec?.containers ?? [];
    if (launcher === undefined || worker === undefined || container === undefined)
      throw new Error('pi-v2beta1.yaml has a launcher and workers');
    const name = 'found';
    // A failed DNS lookup is cached for seconds, so a host that is listed too early makes this script fail.
    const hosts = 'sh /etc/mpi/discover_hosts.sh';
    const look = `for host in $(${hosts}); do getent hosts $host > /dev/null || exit 7; done`;
    const wait = (until: string) =>
      `until [ "$(${hosts} | grep -c .)" = ${until} ]; do ${look}; sleep 0.1; done; ${look}`;
    const script = `${wait('2')}; echo two; ${wait('4')}; echo four`;
    const template = {
      spec: { ...launcher.template.spec, containers: [{ ...container, name: 'mpi', command: ['sh', '-c', script] }] },
    };
    const mpiReplicaSpecs = {
      Launcher: { ...launcher, restartPolicy: 'Never' as const, template },
      Worker: { ...worker, replicas: 2 },
    };
    const runPolicy = { ...manifest.spec.runPolicy, backoffLimit: 0 };
    await fixture.create({
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: { ...manifest.spec, runPolicy, mpiReplicaSpecs },
    });
    const { metadata } = await training.podOf(name, { [LABELS.jobRole]: 'launcher' });
    await training.logged(metadata.name, /^two$/m);
    const spec = { mpiReplicaSpecs: { Worker: { replicas: 4 } } };
    await client.patch(MPI_JOBS, { namespace: namespace(), name }, { spec });
    await training.toSucceed(MPI_JOBS, name);
    expect(await training.logOf(metadata.name)).toMatch(/^four$/m);
  });

  it('fails a job whose image has no sshd, and names the missing program', async () => {
    const manifest = await training.example<MPIJob>('pi-v2beta1');
    const worker = { spec: { containers: [{ name: 'mpi-worker', image: 'muster.local/kubectl-delivery:1.37.2' }] } };
    const name = 'no-sshd';
    await fixture.create({
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: {
        ...manifest.spec,
        launcherCreationPolicy: 'WaitForWorkersReady',
        mpiReplicaSpecs: { ...manifest.spec.mpiReplicaSpecs, Worker: { replicas: 2, template: worker } },
      },
    });
    const { status } = await training.toEnd(MPI_JOBS, name, 'Failed');
    const { message = '' } = status?.conditions?.find(({ type }) => type === 'Failed') ?? {};
    expect(message).toContain('/usr/sbin/sshd');
  });
});

/** A v1 job whose workers fail the first time, and keep running the second time. */
async function failingWorker(name: string, restartPolicy: 'Never' | 'OnFailure'): Promise<MPIJob> {
  const manifest = await training.example<MPIJob>('pi-v1');
  const { Worker: worker, ...others } = manifest.spec.mpiReplicaSpecs ?? {};
  const [container] = worker?.template.spec?.containers ?? [];
  if (worker === undefined || container === undefined) throw new Error('pi-v1.yaml has a worker');
  const script = 'if [ -e /seen/once ]; then exec sleep 365d; fi; touch /seen/once; exit 3';
  const failing = {
    ...container,
    command: ['sh', '-c', script],
    volumeMounts: [{ name: 'seen', mountPath: '/seen' }],
  };
  const template = {
    spec: { ...worker.template.spec, containers: [failing], volumes: [{ name: 'seen', emptyDir: {} }] },
  };
  await fixture.create({
    ...manifest,
    metadata: { ...manifest.metadata, name },
    spec: { ...manifest.spec, mpiReplicaSpecs: { ...others, Worker: { ...worker, restartPolicy, template } } },
  });
  return client.get(MPI_JOBS, { namespace: namespace(), name });
}
