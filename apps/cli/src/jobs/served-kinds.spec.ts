import { KubeError, type KubeClient } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { findJob } from './find-job.ts';
import { servedKinds } from './served-kinds.ts';

const notFound = new KubeError('not found', { code: 404, reason: 'NotFound' });
const forbidden = new KubeError('forbidden', { code: 403, reason: 'Forbidden' });

/** Discovery of an API server: plurals by group and version. */
function serving(groups: Readonly<Record<string, readonly string[]>>, get = () => Promise.reject<never>(notFound)) {
  const raw = <T>(path: string): Promise<T> => {
    const plurals = groups[path.replace('/apis/', '')];
    if (plurals === undefined) return Promise.reject(notFound);
    return Promise.resolve({ resources: plurals.map((name) => ({ name })) } as T);
  };
  return { raw, get } as unknown as KubeClient;
}

describe('the kinds that a cluster serves', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, readonly string[]]>([
    [
      'under the training operator of Kubeflow alone',
      { 'kubeflow.org/v1': ['tfjobs', 'tfjobs/status', 'pytorchjobs', 'mpijobs'] },
      ['TFJob v1', 'PyTorchJob v1', 'MPIJob v1'],
    ],
    ['under the MPI operator alone', { 'kubeflow.org/v2beta1': ['mpijobs'] }, ['MPIJob v2beta1']],
    [
      'with all generations of MPIJob',
      { 'kubeflow.org/v1': ['mpijobs'], 'kubeflow.org/v2beta1': ['mpijobs'] },
      ['MPIJob v2beta1'],
    ],
    [
      'under an early KubeRay alone',
      { 'ray.io/v1': ['rayclusters', 'rayjobs', 'rayservices'] },
      ['RayCluster v1', 'RayJob v1', 'RayService v1'],
    ],
    [
      'under KubeRay alone',
      { 'ray.io/v1': ['rayclusters', 'rayjobs', 'rayservices', 'raycronjobs'] },
      ['RayCluster v1', 'RayJob v1', 'RayCronJob v1', 'RayService v1'],
    ],
    ['where nothing is installed', {}, []],
  ])('%s', async (_case, groups, kinds) => {
    const served = await servedKinds(serving(groups));
    expect(served.map(({ resource }) => `${resource.kind} ${resource.version}`)).toEqual(kinds);
  });
});

describe('a job that is not found', () => {
  it('leads to an error if no kind is installed', async () => {
    await expect(findJob(serving({}), 'mnist', 'team')).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('muster crds | kubectl apply -f -') as string,
    });
  });

  it('leads to an error that shows how to install its kind', async () => {
    await expect(findJob(serving({ 'kubeflow.org/v1': ['tfjobs'] }), 'ptjob/mnist', 'team')).rejects.toMatchObject({
      exitCode: 1,
      message:
        'This cluster does not serve PyTorchJob; install it: npx muster crds pytorch-elastic | kubectl apply -f -',
    });
  });

  it('leads to an error that names the kinds without permission', async () => {
    const client = serving({ 'kubeflow.org/v1': ['tfjobs'] }, () => Promise.reject(forbidden));
    await expect(findJob(client, 'mnist', 'team')).rejects.toMatchObject({
      exitCode: 7,
      message: 'You are not allowed to get TFJob in namespace team: it is unknown whether job mnist exists.',
    });
  });
});
