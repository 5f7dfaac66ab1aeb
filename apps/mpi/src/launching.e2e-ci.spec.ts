/** Ways to launch an MPIJob on a real node: each API version, Open MPI and MPICH, as root and as a user, with GPUs, suspended. */
import { LABELS, MPI_JOBS, PODS, type MPIJob, type Resource } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { mpiFixture, workersOf } from '../test-support/mpi-fixture.ts';

const GPUS = 'nvidia.com/gpu';

interface Node {
  metadata?: { name?: string };
  status?: { allocatable?: Record<string, string> };
}

const NODES: Resource<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

const fixture = await mpiFixture();
const { training } = fixture;
const { client } = training;
const namespace = () => training.namespace;

describe('an MPIJob on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  /** Advertises GPUs, as a device plugin would. */
  beforeAll(async () => {
    const [node] = (await client.list(NODES)).items;
    const name = node?.metadata?.name ?? '';
    const patch = [{ op: 'add', path: `/status/capacity/${GPUS.replace('/', '~1')}`, value: '4' }];
    await client.patch(NODES, { name }, patch, { type: 'json', subresource: 'status' });
    let allocatable: Record<string, string> | undefined;
    await eventually(
      async () => {
        allocatable = (await client.get(NODES, { name })).status?.allocatable;
        return allocatable?.[GPUS] === '4';
      },
      { withinMs: 120_000, describe: () => ({ expected: `4 ${GPUS} on the node`, allocatable }) },
    );
  });

  it('trains a v1alpha1 job in a StatefulSet and a launcher that computes, and scales the StatefulSet down', () =>
    fixture.train('train-v1alpha1'));

  it.each(['pi-v2beta1', 'pi-v2beta1-mpich', 'pi-v2beta1-non-root', 'pi-v1'])(
    'computes pi in the example %s, with ranks on both workers',
    async (example) => {
      const job = await fixture.createExample(example);
      await training.toSucceed(MPI_JOBS, job);
      await fixture.expectPi(job, workersOf(job));
    },
  );

  it('creates two pods of two GPUs for gpus: 4, one of which is the launcher', async () => {
    const job = await fixture.createExample('gpus-v1alpha1');
    await training.toSucceed(MPI_JOBS, job);
    const launcher = await fixture.launcherOf(job);
    await fixture.expectPi(job, [launcher, `${job}-worker-0`]);
    const { spec } = await client.get(PODS, { namespace: namespace(), name: launcher });
    expect(spec?.containers[0]?.resources?.limits).toMatchObject({ [GPUS]: '2' });
  });

  it('has no pods while it is suspended, and starts again when it is resumed', async () => {
    const manifest = await training.example<MPIJob>('pi-v2beta1');
    const name = 'resumed';
    await fixture.create({
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: { ...manifest.spec, runPolicy: { ...manifest.spec.runPolicy, suspend: true } },
    });
    const suspended = ({ status }: MPIJob) => status?.state === 'Suspended';
    await training.jobToBe(MPI_JOBS, name, suspended);
    const suspend = (is: boolean) =>
      client.patch(MPI_JOBS, { namespace: namespace(), name }, { spec: { runPolicy: { suspend: is } } });
    await suspend(false);
    await training.podOf(name, { [LABELS.jobRole]: 'launcher' });
    // While it runs.
    await suspend(true);
    await training.jobToBe(MPI_JOBS, name, suspended);
    await training.podsToHaveEndedWell(name, []);
    await suspend(false);
    await training.toSucceed(MPI_JOBS, name);
    await fixture.expectPi(name, workersOf(name));
  });
});
