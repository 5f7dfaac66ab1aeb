/** Plans of the engine for MPIJobs whose pods are created by Jobs and StatefulSets. */
import type { JobStatus, KubeObject } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { madeOf, patchOf, planOf, summaryOf, templateOf, type MPIWorld } from '../test-support/mpi-world.ts';

interface Group extends KubeObject {
  spec?: { minMember?: number; minResources?: object };
}

describe('the resources of a gang', () => {
  it('are those of the pods of v1alpha1 by the number of GPUs', () => {
    const plan = planOf({ generation: 'v1alpha1', spec: { gpus: 16, gpusPerNode: 8 }, gang: 'coscheduler' });
    expect(madeOf<Group>(plan, 'PodGroup')?.spec).toEqual({ minMember: 1, minResources: { 'nvidia.com/gpu': '16' } });
  });

  it('are none for a launcher of v1alpha1 that does not compute', () => {
    const world: MPIWorld = {
      generation: 'v1alpha1',
      workers: 1,
      gang: 'coscheduler',
      settings: { launcherComputes: false },
    };
    const plan = planOf({ ...world, spec: { template: templateOf({ 'nvidia.com/gpu': '8' }) } });
    expect(madeOf<Group>(plan, 'PodGroup')?.spec).toEqual({ minMember: 2, minResources: { 'nvidia.com/gpu': '16' } });
  });

  it('include the init container of a launcher that needs less itself', () => {
    const plan = planOf({ generation: 'v1', gang: 'coscheduler' });
    expect(madeOf<Group>(plan, 'PodGroup')?.spec?.minResources).toMatchObject({ cpu: '100m', memory: '512Mi' });
  });
});

describe('a launcher that is resumed', () => {
  const status: JobStatus = { conditions: [{ type: 'Suspended', status: 'True', reason: 'MPIJobSuspended' }] };
  const launcherJob = { spec: { suspend: true } };

  it.each<[string, MPIWorld]>([
    ['v2beta1', { generation: 'v2beta1', spec: { launcherCreationPolicy: 'WaitForWorkersReady' } }],
    ['v1alpha1', { generation: 'v1alpha1' }],
  ])('of %s waits for its workers again', (_generation, world) => {
    const at = (worker: string) =>
      patchOf(planOf({ ...world, status, launcherJob, phases: { launcher: '-', worker } }), 'Job');
    expect(at('PP')).toBeUndefined();
    expect(at('YY')).toMatchObject({ patch: { spec: { suspend: false } } });
  });

  it('waits until Volcano has admitted the group again', () => {
    const as = (object: KubeObject) =>
      object.kind === 'PodGroup' ? ({ ...object, status: { phase: 'Pending' } } as KubeObject) : object;
    const world: MPIWorld = {
      generation: 'v2beta1',
      status,
      launcherJob,
      gang: 'volcano',
      as,
      phases: { launcher: '-' },
    };
    expect(patchOf(planOf(world), 'Job')).toBeUndefined();
  });
});

describe('an MPIJob whose launcher ended while no operator ran', () => {
  it('does not run again if the time to live of its Job ended first', () => {
    const runPolicy = { suspend: false, ttlSecondsAfterFinished: 0 };
    const made = madeOf<KubeObject & { spec?: object }>(planOf({ generation: 'v2beta1', spec: { runPolicy } }), 'Job');
    // The job itself is deleted after that time, and the Job with it.
    expect(made?.spec).not.toHaveProperty('ttlSecondsAfterFinished');
  });
});

describe('a launcher that the cluster evicts', () => {
  const launcherPolicy = (restartPolicy: 'Never' | 'OnFailure') => ({
    mpiReplicaSpecs: {
      Launcher: { restartPolicy, template: templateOf() },
      Worker: { replicas: 2, template: templateOf() },
    },
  });
  const jobOf = (spec: MPIWorld['spec']) =>
    madeOf<KubeObject & { spec?: object }>(planOf({ generation: 'v2beta1', ...(spec && { spec }) }), 'Job')?.spec;
  const rule = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };

  it('is ignored by the backoffLimit of its Job if the kubelet does not restart containers in place', () => {
    expect(jobOf(launcherPolicy('Never'))).toMatchObject({
      podFailurePolicy: { rules: [rule] },
      podReplacementPolicy: 'Failed',
    });
  });

  it.each<[why: string, spec: MPIWorld['spec']]>([
    ['the API server refuses it beside OnFailure', launcherPolicy('OnFailure')],
    [
      'the failure policy of the MPIJob decides',
      { ...launcherPolicy('Never'), runPolicy: { suspend: false, failurePolicy: { rules: [{ action: 'FailJob' }] } } },
    ],
  ])('has no podFailurePolicy in its Job where %s', (_why, spec) => {
    expect(jobOf(spec)).not.toHaveProperty('podFailurePolicy');
  });

  it.each<[how: string, letter: string, world: MPIWorld]>([
    ['a drain, under OnFailure', 'D', { generation: 'v2beta1', spec: launcherPolicy('OnFailure') }],
    ['a drain, in v1alpha1', 'D', { generation: 'v1alpha1' }],
    ['an eviction, under OnFailure', 'E', { generation: 'v2beta1', spec: launcherPolicy('OnFailure') }],
    ['an eviction, under Never', 'E', { generation: 'v2beta1', spec: launcherPolicy('Never') }],
  ])('gets a new Job after %s, without counting a failure', (_how, launcher, world) => {
    const plan = planOf({ ...world, phases: { launcher, worker: 'YY' } });
    expect(summaryOf(plan).remove).toEqual(['Job pi-launcher']);
    expect(plan.status).toMatchObject({ disruptionCount: 1, restartCount: 0, state: 'Restarting' });
  });

  it.each<[how: string, restartPolicy: 'Never' | 'OnFailure', launcher: string]>([
    ['is drained and the Job ignores that', 'Never', 'D'],
    ['fails', 'Never', 'f'],
    ['is drained after it has succeeded', 'OnFailure', 'd'],
  ])('keeps its Job when it %s', (_how, restartPolicy, launcher) => {
    const world: MPIWorld = { generation: 'v2beta1', spec: launcherPolicy(restartPolicy), phases: { launcher } };
    expect(summaryOf(planOf(world)).remove).toEqual([]);
  });
});
