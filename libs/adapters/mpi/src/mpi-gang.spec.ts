/** A gang scheduler must not wait for a launcher that waits for its workers. Letters: `test-support/mpi-world.ts`. */
import type { KubeObject, MPIJob } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import {
  isLauncher,
  madeOf,
  NO_WORKERS,
  planOf,
  summaryOf,
  templateOf,
  WAITS,
  type MPIWorld,
  type Spec,
  type Workload,
} from '../test-support/mpi-world.ts';

/** By requests, or by limits where those are not set. */
function sized(
  generation: 'v1' | 'v2beta1',
  policy: MPIJob['spec']['runPolicy']['schedulingPolicy'],
  spec: Spec = {},
): MPIWorld {
  const mpiReplicaSpecs = {
    Launcher: { template: templateOf({ cpu: '1' }) },
    Worker: { replicas: 3, template: templateOf({ cpu: '2', 'nvidia.com/gpu': '1' }) },
  };
  const runPolicy = { suspend: false, ...(policy && { schedulingPolicy: policy }) };
  return { generation, workers: 3, gang: 'coscheduler', spec: { mpiReplicaSpecs, runPolicy, ...spec } };
}

describe('a gang scheduler', () => {
  const WORKERS = { cpu: '6', 'nvidia.com/gpu': '3' };

  it.each<[what: string, world: MPIWorld, group: object]>([
    [
      'waits for launcher and workers, which are created together',
      sized('v2beta1', undefined),
      { minMember: 4, minResources: { ...WORKERS, cpu: '7' } },
    ],
    [
      'waits for the workers alone if the launcher is created later, and reserves resources for it',
      sized('v2beta1', undefined, WAITS),
      { minMember: 3, minResources: { ...WORKERS, cpu: '7' } },
    ],
    [
      'waits for the workers alone in v1 as well',
      sized('v1', undefined),
      { minMember: 3, minResources: { ...WORKERS, cpu: '7' } },
    ],
    [
      'waits for fewer workers with minAvailable',
      sized('v1', { minAvailable: 2 }),
      { minMember: 2, minResources: { cpu: '5', 'nvidia.com/gpu': '2' } },
    ],
    [
      'waits for at most all workers if the launcher is created later',
      sized('v2beta1', { minAvailable: 4 }, WAITS),
      { minMember: 3 },
    ],
    ['waits for at most all pods', sized('v2beta1', { minAvailable: 9 }), { minMember: 4 }],
    ['uses the given minResources', sized('v1', { minResources: { cpu: '40' } }), { minResources: { cpu: '40' } }],
    [
      'waits for the launcher if there are no workers',
      { generation: 'v2beta1', gang: 'coscheduler', spec: { ...NO_WORKERS, ...WAITS } },
      { minMember: 1 },
    ],
    ['counts the StatefulSet of v1alpha1', { generation: 'v1alpha1', gang: 'coscheduler' }, { minMember: 2 }],
  ])('%s', (_what, world, group) => {
    expect(madeOf<KubeObject & { spec?: object }>(planOf(world), 'PodGroup')?.spec).toMatchObject(group);
  });

  it.each<[what: string, world: MPIWorld, isMade: boolean]>([
    ['creates the launcher with the workers', sized('v2beta1', undefined), true],
    ['does not create a waiting launcher earlier', sized('v2beta1', undefined, WAITS), false],
    ['does not create a launcher of v1 earlier', sized('v1', undefined), false],
    [
      'does not delay the launcher of ready workers',
      { ...sized('v2beta1', undefined, WAITS), phases: { worker: 'YYY' } },
      true,
    ],
    [
      'does not delay the launcher of ready workers in v1',
      { ...sized('v1', undefined), phases: { worker: 'YYY' } },
      true,
    ],
    [
      'does not delay the launcher of ready workers in v1alpha1',
      { generation: 'v1alpha1', gang: 'coscheduler', phases: { worker: 'YY' } },
      true,
    ],
    [
      'does not delay the launcher of workers that Volcano has placed',
      { ...sized('v2beta1', undefined, WAITS), gang: 'volcano', phases: { worker: 'YYY' } },
      true,
    ],
  ])('%s', (_what, world, isMade) => {
    expect(summaryOf(planOf(world)).create.filter(isLauncher)).toHaveLength(isMade ? 1 : 0);
  });

  it.each<[what: string, world: MPIWorld]>([
    ['pods and Jobs', sized('v2beta1', undefined)],
    ['StatefulSets', { generation: 'v1alpha1' }],
  ])("does not create the job's %s before Volcano has admitted its group", (_what, world) => {
    const { create } = summaryOf(planOf({ ...world, gang: 'volcano' }));
    expect(create.filter((object) => /^(Pod|Job|StatefulSet|Secret) /.test(object))).toEqual([]);
    expect(create).toContain('PodGroup pi');
  });

  it('is set in the templates of Jobs and StatefulSets', () => {
    const world: MPIWorld = { generation: 'v1alpha1', gang: 'coscheduler', workers: 1, phases: {} };
    const made = madeOf<Workload>(planOf(world), 'StatefulSet')?.spec?.template;
    expect(made?.spec?.schedulerName).toBe('coscheduler');
    expect(made?.metadata?.labels).toMatchObject({ 'scheduling.x-k8s.io/pod-group': 'pi' });
  });
});
