/** The lives of all charts except that of `chart-life.e2e-ci.spec.ts`, and two operators that lose pods. */
import { clusterDown, clusterUp, terminalProgress, type Cluster } from '@muster/cluster';
import { importImages } from '@muster/images';
import { MPI_JOBS, MX_JOBS, podTemplatesOf, RAY_JOBS, TF_JOBS, type KubeObject } from '@muster/job-api';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ChartLife, type FrameworkCase } from '../test-support/chart-life.ts';

const NAME = `charts-all-${process.pid}`;
const OPERATORS = 'muster';
const LIMIT_MS = 1_800_000;
const IMAGES = ['tensorflow-examples', 'openmpi-examples', 'mxnet-examples', 'ray-examples'] as const;

const TENSORFLOW: FrameworkCase = { framework: 'tensorflow', resource: TF_JOBS, example: 'multi-worker', pods: 2 };
const MPI: FrameworkCase = {
  framework: 'mpi',
  resource: { ...MPI_JOBS, version: 'v2beta1' },
  example: 'train-v2beta1',
  lengthen: handOnOptions,
  pods: 3,
};
const MXNET: FrameworkCase = { framework: 'mxnet', resource: MX_JOBS, example: 'dist-sync', pods: 4 };
/** Head, two workers and the submitter. */
const RAY: FrameworkCase = { framework: 'ray', resource: RAY_JOBS, example: 'rayjob-k8s', pods: 4 };

/** Ranks do not inherit the launcher's environment. */
function handOnOptions(manifest: KubeObject): void {
  for (const { spec } of podTemplatesOf(manifest)) {
    for (const container of spec?.containers ?? []) {
      const [program, ...args] = container.command ?? [];
      if (program === 'mpirun') container.command = [program, '-x', 'EPOCHS', '-x', 'EPOCH_SECONDS', ...args];
    }
  }
}

describe('the charts', { timeout: LIMIT_MS }, () => {
  let cluster: Cluster;
  const lives: ChartLife[] = [];

  async function begin(framework: FrameworkCase): Promise<ChartLife> {
    const life = await ChartLife.begin(cluster, framework, OPERATORS);
    lives.push(life);
    return life;
  }

  beforeAll(async () => {
    const progress = terminalProgress();
    // As in OpenShift: an owner reference that blocks the owner's deletion needs a right to the owner (`update jobs/finalizers`).
    const admissionPlugins = ['OwnerReferencesPermissionEnforcement'];
    cluster = await clusterUp({ name: NAME, node: 'real', admissionPlugins, progress });
    const { containerdSocket = '' } = cluster;
    await importImages(IMAGES, { containerdSocket, progress });
  }, LIMIT_MS);

  afterAll(async () => {
    await Promise.all(lives.map((life) => life.close()));
    await clusterDown({ name: NAME, progress: terminalProgress() });
  }, LIMIT_MS);

  it.each([TENSORFLOW, MPI, MXNET, RAY])('$framework lives from an older version to its end', async (framework) => {
    await (await begin(framework)).live(OPERATORS);
  });

  it('jobs are not affected when two operators of two replicas each lose any one pod', async () => {
    const [tensorflow, mpi] = [await begin(TENSORFLOW), await begin(MPI)];
    await Promise.all([tensorflow, mpi].map((life) => life.deploy(OPERATORS, { replicas: 2 })));
    const [ofTensorflow, ofMPI] = await Promise.all(
      [tensorflow, mpi].map((life) => life.train('beside-lost-operators')),
    );
    await tensorflow.loseEachOperatorPod(OPERATORS, 2);
    await mpi.loseEachOperatorPod(OPERATORS, 2);
    await tensorflow.toEndUndisturbed('beside-lost-operators', ofTensorflow ?? []);
    await mpi.toEndUndisturbed('beside-lost-operators', ofMPI ?? []);
  });
});
