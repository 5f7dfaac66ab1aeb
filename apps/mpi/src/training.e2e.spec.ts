/** Real MPI: pods that a kubelet runs, and `mpirun` between them, over ssh and over `kubectl exec`. */
import { LABELS, MPI_JOBS, PODS, type MPIJob, type Resource } from '@muster/job-api';
import { eventually, trainingStage, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const GPUS = 'nvidia.com/gpu';

interface Node {
  metadata?: { name?: string };
  status?: { allocatable?: Record<string, string> };
}

const NODES: Resource<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

const stage = await trainingStage('mpi', 'mpi');

/** As its users create it: through the API of the version that it is written in. */
async function create(manifest: MPIJob & { metadata: { name: string } }): Promise<string> {
  const version = manifest.apiVersion?.split('/')[1] ?? '';
  await stage.client.create({ ...MPI_JOBS, version }, manifest);
  return manifest.metadata.name;
}

async function createExample(name: string): Promise<string> {
  return create(await stage.example<MPIJob>(name));
}

/** Of training-operator's launchers the role says `master`. */
async function launcherOf(job: string): Promise<string> {
  const { spec } = await stage.client.get(MPI_JOBS, { namespace: stage.namespace, name: job });
  const role = spec.apiGeneration === 'v1' ? 'master' : 'launcher';
  return (await stage.podOf(job, { [LABELS.jobRole]: role })).metadata.name;
}

async function launcherLog(job: string): Promise<string> {
  const name = await launcherOf(job);
  const { spec } = await stage.client.get(PODS, { namespace: stage.namespace, name });
  return stage.logOf(name, spec?.containers[0]?.name);
}

async function expectPi(job: string, hosts: readonly string[]): Promise<void> {
  const log = await launcherLog(job);
  const [, pi, ranks, seen = ''] = /^pi ([\d.]+) ranks (\d+) hosts (\S+)$/m.exec(log) ?? [];
  expect(pi, `no result in the log:\n${log}`).toBeDefined();
  expect(Number(pi)).toBeCloseTo(Math.PI, 6);
  expect({ ranks, hosts: seen.split(',').sort() }).toEqual({ ranks: '4', hosts: [...hosts].sort() });
}

async function expectTraining(job: string): Promise<void> {
  const pod = await launcherOf(job);
  const { first, last, workers, agree } = await stage.resultOf(pod);
  expect({ workers, agree }).toEqual({ workers: 4, agree: true });
  expect(last).toBeLessThan(first / 5);
  // Data-parallel training finds what one process finds.
  expect(await stage.logOf(pod)).toMatch(/^same as alone$/m);
}

const workersOf = (job: string) => [`${job}-worker-0`, `${job}-worker-1`];

describe('MPI on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  /** What a device plugin would tell the kubelet. */
  beforeAll(async () => {
    const [node] = (await stage.client.list(NODES)).items;
    const name = node?.metadata?.name ?? '';
    const patch = [{ op: 'add', path: `/status/capacity/${GPUS.replace('/', '~1')}`, value: '4' }];
    await stage.client.patch(NODES, { name }, patch, { type: 'json', subresource: 'status' });
    let allocatable: Record<string, string> | undefined;
    await eventually(
      async () => {
        allocatable = (await stage.client.get(NODES, { name })).status?.allocatable;
        return allocatable?.[GPUS] === '4';
      },
      { withinMs: 120_000, describe: () => ({ 'wanted of the node': `4 ${GPUS}`, allocatable }) },
    );
  });

  it('v2beta1 trains over ssh when the workers are ready, and stops them at the end', async () => {
    const job = await createExample('train-v2beta1');
    await stage.toSucceed(MPI_JOBS, job);
    await expectTraining(job);
    await stage.podsToHaveEndedWell(job, [await launcherOf(job)]);
  });

  it('v1 trains over kubectl exec, without sshd', async () => {
    const job = await createExample('train-v1');
    await stage.toSucceed(MPI_JOBS, job);
    await expectTraining(job);
    await stage.podsToHaveEndedWell(job, [await launcherOf(job)]);
  });

  it('v1alpha1 trains in a StatefulSet and a launcher that computes, and scales the StatefulSet down', async () => {
    const job = await createExample('train-v1alpha1');
    await stage.toSucceed(MPI_JOBS, job);
    await expectTraining(job);
    await stage.podsToHaveEndedWell(job, [await launcherOf(job)]);
  });

  it.each(['pi-v2beta1', 'pi-v2beta1-mpich', 'pi-v2beta1-non-root', 'pi-v1'])(
    '%s finds pi with ranks on both workers',
    async (example) => {
      const job = await createExample(example);
      await stage.toSucceed(MPI_JOBS, job);
      await expectPi(job, workersOf(job));
    },
  );

  it('gpus: 4 becomes two pods of two GPUs, one of which launches', async () => {
    const job = await createExample('gpus-v1alpha1');
    await stage.toSucceed(MPI_JOBS, job);
    const launcher = await launcherOf(job);
    await expectPi(job, [launcher, `${job}-worker-0`]);
    const { spec } = await stage.client.get(PODS, { namespace: stage.namespace, name: launcher });
    expect(spec?.containers[0]?.resources?.limits).toMatchObject({ [GPUS]: '2' });
  });

  it('a job that is suspended has no pods, and runs from the beginning when it is resumed', async () => {
    const manifest = await stage.example<MPIJob>('pi-v2beta1');
    const name = 'resumed';
    await create({
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: { ...manifest.spec, runPolicy: { ...manifest.spec.runPolicy, suspend: true } },
    });
    const suspended = ({ status }: MPIJob) => status?.state === 'Suspended';
    await stage.jobToBe(MPI_JOBS, name, suspended);
    const suspend = (is: boolean) =>
      stage.client.patch(MPI_JOBS, { namespace: stage.namespace, name }, { spec: { runPolicy: { suspend: is } } });
    await suspend(false);
    await stage.podOf(name, { [LABELS.jobRole]: 'launcher' });
    // In the middle of its run.
    await suspend(true);
    await stage.jobToBe(MPI_JOBS, name, suspended);
    await stage.podsToHaveEndedWell(name, []);
    await suspend(false);
    await stage.toSucceed(MPI_JOBS, name);
    await expectPi(name, workersOf(name));
  });

  it('a worker that fails under Never fails a v1 job, which says which one and how', async () => {
    const { spec } = await failingWorker('v1-never', 'Never');
    expect(spec.apiGeneration).toBe('v1');
    const { status } = await stage.toEnd(MPI_JOBS, 'v1-never', 'Failed');
    const { message = '' } = status?.conditions?.find(({ type }) => type === 'Failed') ?? {};
    expect(message).toContain('Worker replica(s) failed');
    expect(message).toContain('exit code 3');
  });

  it('a worker that fails under OnFailure is started again, and the job ends well', async () => {
    await failingWorker('v1-on-failure', 'OnFailure');
    const { status } = await stage.toSucceed(MPI_JOBS, 'v1-on-failure');
    expect(status?.restartCount).toBeGreaterThan(0);
    await expectPi('v1-on-failure', workersOf('v1-on-failure'));
  });

  it('discover_hosts.sh follows the workers that run, up and down, while the launcher runs', async () => {
    const manifest = await stage.example<MPIJob>('pi-v1');
    const { Launcher: launcher, ...others } = manifest.spec.mpiReplicaSpecs ?? {};
    const [container] = launcher?.template.spec?.containers ?? [];
    if (launcher === undefined || container === undefined) throw new Error('pi-v1.yaml has a launcher');
    const name = 'elastic';
    // As Elastic Horovod asks for its hosts, but for what it does with them.
    const wait = (until: string) =>
      `until [ "$(sh /etc/mpi/discover_hosts.sh | grep -c .)" = ${until} ]; do sleep 0.2; done`;
    const script = `${wait('2')}; echo two; ${wait('3')}; echo three; ${wait('1')}; echo one; sh /etc/mpi/discover_hosts.sh`;
    const template = {
      spec: { ...launcher.template.spec, containers: [{ ...container, command: ['sh', '-c', script] }] },
    };
    await create({
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: { ...manifest.spec, mpiReplicaSpecs: { ...others, Launcher: { ...launcher, template } } },
    });
    const scale = (replicas: number) =>
      stage.client.patch(
        MPI_JOBS,
        { namespace: stage.namespace, name },
        { spec: { mpiReplicaSpecs: { Worker: { replicas } } } },
      );
    const { metadata } = await stage.podOf(name, { [LABELS.jobRole]: 'master' });
    await stage.logged(metadata.name, /^two$/m);
    await scale(3);
    await stage.logged(metadata.name, /^three$/m);
    await scale(1);
    await stage.toSucceed(MPI_JOBS, name);
    expect(await stage.logOf(metadata.name)).toMatch(/^one\n.*elastic-worker-0:2/ms);
  });

  it('every host that discover_hosts.sh names is found, also those that come later', async () => {
    const manifest = await stage.example<MPIJob>('pi-v2beta1');
    const { Launcher: launcher, Worker: worker } = manifest.spec.mpiReplicaSpecs ?? {};
    const [container] = launcher?.template.spec?.containers ?? [];
    if (launcher === undefined || worker === undefined || container === undefined)
      throw new Error('pi-v2beta1.yaml has a launcher and workers');
    const name = 'found';
    // A name that is asked for too early is unknown for seconds, also when it leads somewhere by then.
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
    await create({
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: { ...manifest.spec, runPolicy, mpiReplicaSpecs },
    });
    const { metadata } = await stage.podOf(name, { [LABELS.jobRole]: 'launcher' });
    await stage.logged(metadata.name, /^two$/m);
    const spec = { mpiReplicaSpecs: { Worker: { replicas: 4 } } };
    await stage.client.patch(MPI_JOBS, { namespace: stage.namespace, name }, { spec });
    await stage.toSucceed(MPI_JOBS, name);
    expect(await stage.logOf(metadata.name)).toMatch(/^four$/m);
  });

  it('a job whose image has no sshd fails and says so', async () => {
    const manifest = await stage.example<MPIJob>('pi-v2beta1');
    const worker = { spec: { containers: [{ name: 'mpi-worker', image: 'muster.local/kubectl-delivery:1.36.3' }] } };
    const name = 'no-sshd';
    await create({
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: {
        ...manifest.spec,
        launcherCreationPolicy: 'WaitForWorkersReady',
        mpiReplicaSpecs: { ...manifest.spec.mpiReplicaSpecs, Worker: { replicas: 2, template: worker } },
      },
    });
    const { status } = await stage.toEnd(MPI_JOBS, name, 'Failed');
    const { message = '' } = status?.conditions?.find(({ type }) => type === 'Failed') ?? {};
    expect(message).toContain('/usr/sbin/sshd');
  });
});

/** A v1 job whose workers fail at first, and stay the second time. */
async function failingWorker(name: string, restartPolicy: 'Never' | 'OnFailure'): Promise<MPIJob> {
  const manifest = await stage.example<MPIJob>('pi-v1');
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
  await create({
    ...manifest,
    metadata: { ...manifest.metadata, name },
    spec: { ...manifest.spec, mpiReplicaSpecs: { ...others, Worker: { ...worker, restartPolicy, template } } },
  });
  return stage.client.get(MPI_JOBS, { namespace: stage.namespace, name });
}
