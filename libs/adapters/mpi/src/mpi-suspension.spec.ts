/** MPIJobs that are suspended and resumed, as by Kueue. Letters: see `test-support/mpi-world.ts`. */
import type { JobStatus, KubeObject, MPIGeneration } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import {
  conditionOf,
  finallyOf,
  madeOf,
  patchOf,
  planOf,
  summaryOf,
  templateOf,
  WAITS,
  type MPIWorld,
  type Phases,
  type Spec,
  type Workload,
} from '../test-support/mpi-world.ts';

describe('a suspended MPIJob', () => {
  const suspended = { runPolicy: { suspend: true } };
  const ACCESS = ['ConfigMap pi-config', 'ServiceAccount pi-launcher'];

  it.each<[MPIGeneration, Spec, create: string[]]>([
    ['v2beta1', {}, ['Secret pi-ssh', 'ConfigMap pi-config', 'Service pi', 'Job pi-launcher']],
    ['v2beta1', WAITS, ['ConfigMap pi-config', 'Service pi']],
    ['v1', {}, ACCESS],
    ['v1alpha1', {}, [...ACCESS, 'StatefulSet pi-worker']],
  ])('of %s with %j has only objects without cost', (generation, spec, create) => {
    const plan = planOf({ generation, spec: { ...spec, ...suspended } });
    expect(summaryOf(plan)).toEqual({ create, change: [], remove: [] });
    expect(plan.status).toMatchObject({ state: 'Suspended' });
    expect(plan.status?.startTime).toBeDefined();
  });

  it('has suspended workloads from the start', () => {
    const job = madeOf<Workload>(planOf({ generation: 'v2beta1', spec: suspended }), 'Job');
    const set = madeOf<Workload>(planOf({ generation: 'v1alpha1', spec: suspended }), 'StatefulSet');
    expect([job?.spec?.suspend, set?.spec?.replicas]).toEqual([true, 0]);
  });

  it.each<[MPIGeneration, Phases, change: string[], remove: string[]]>([
    [
      'v2beta1',
      { launcher: 'R', worker: 'YS' },
      ['Job pi-launcher'],
      ['PodGroup pi', 'Pod pi-worker-0', 'Pod pi-worker-1'],
    ],
    [
      'v1',
      { launcher: 'R', worker: 'YP' },
      [],
      ['PodGroup pi', 'Pod pi-launcher', 'Pod pi-worker-0', 'Pod pi-worker-1'],
    ],
    ['v1alpha1', { launcher: 'R', worker: 'YY' }, ['Job pi-launcher', 'StatefulSet pi-worker'], ['PodGroup pi']],
  ])('of %s that ran stops its workloads and keeps the rest', (generation, phases, change, remove) => {
    const world: MPIWorld = { generation, spec: suspended, phases, gang: 'coscheduler' };
    const plan = planOf(world);
    expect(summaryOf(plan)).toEqual({ create: [], change, remove });
    if (generation !== 'v1') expect(patchOf(plan, 'Job')).toEqual({ patch: { spec: { suspend: true } } });
    if (generation === 'v1alpha1') expect(patchOf(plan, 'StatefulSet')).toEqual({ patch: { spec: { replicas: 0 } } });
  });

  it('does not change once everything is stopped', () => {
    const atRest = (object: KubeObject) =>
      object.kind === 'StatefulSet' ? ({ ...object, spec: { replicas: 0 } } as KubeObject) : object;
    const launcherJob = { spec: { suspend: true } };
    const phases = { launcher: '-', worker: '--' };
    for (const generation of ['v2beta1', 'v1alpha1'] as const) {
      const plan = planOf({ generation, spec: suspended, phases, launcherJob, as: atRest });
      expect(summaryOf(plan)).toEqual({ create: [], change: [], remove: [] });
    }
  });
});

describe('an MPIJob that is resumed', () => {
  const status: JobStatus = {
    state: 'Suspended',
    conditions: [{ type: 'Suspended', status: 'True', reason: 'MPIJobSuspended' }],
  };
  const queued = templateOf(
    {},
    {
      metadata: { labels: { pool: 'north' }, annotations: { admitted: 'yes' } },
      spec: {
        containers: templateOf().spec?.containers ?? [],
        nodeSelector: { zone: 'north' },
        tolerations: [{ key: 'gpu' }],
      },
    },
  );
  const spec = { mpiReplicaSpecs: { Launcher: { template: queued }, Worker: { replicas: 2, template: queued } } };
  const resumed = (launcherJob: MPIWorld['launcherJob']) =>
    planOf({ generation: 'v2beta1', spec, status, phases: { launcher: '-' }, ...(launcherJob && { launcherJob }) });

  it('resets the start time of its Job first, because its template cannot be changed before', () => {
    const plan = resumed({ spec: { suspend: true }, status: { startTime: '2030-01-01T11:00:00Z' } });
    expect(patchOf(plan, 'Job')).toEqual({ patch: { status: { startTime: null } }, subresource: 'status' });
  });

  it('then passes on the scheduling constraints of a queue, and resumes the Job', () => {
    expect(patchOf(resumed({ spec: { suspend: true } }), 'Job')).toEqual({
      patch: {
        spec: {
          suspend: false,
          template: {
            metadata: {
              labels: {
                pool: 'north',
                'training.kubeflow.org/job-name': 'pi',
                'training.kubeflow.org/operator-name': 'mpi-operator',
                'training.kubeflow.org/job-role': 'launcher',
              },
              annotations: { admitted: 'yes' },
            },
            spec: { nodeSelector: { zone: 'north' }, tolerations: [{ key: 'gpu' }], schedulingGates: null },
          },
        },
      },
    });
  });

  it('removes the node constraints that a queue set for an earlier run', () => {
    const template = { spec: { nodeSelector: { cloud: 'spot', zone: 'south' } } };
    expect(patchOf(resumed({ spec: { suspend: true, template } }), 'Job')).toMatchObject({
      patch: { spec: { template: { spec: { nodeSelector: { cloud: null, zone: 'north' } } } } },
    });
  });

  it('creates its workers at the same time, as for a new run', () => {
    const plan = resumed({ spec: { suspend: true } });
    expect(summaryOf(plan).create).toEqual(['Secret pi-ssh', 'Pod pi-worker-0', 'Pod pi-worker-1']);
    expect(plan.status?.startTime).toBe('2030-01-01T12:00:00Z');
    expect(conditionOf(plan, 'Suspended')).toMatchObject({ status: 'False', reason: 'MPIJobResumed' });
  });

  it('does not change a running Job', () => {
    expect(patchOf(resumed({ status: { startTime: '2030-01-01T11:00:00Z' } }), 'Job')).toBeUndefined();
  });

  it('scales up the StatefulSet of v1alpha1 again', () => {
    const as = (object: KubeObject) =>
      object.kind === 'StatefulSet' ? ({ ...object, spec: { replicas: 0 } } as KubeObject) : object;
    const plan = planOf({ generation: 'v1alpha1', status, phases: { worker: '' }, as });
    expect(patchOf(plan, 'StatefulSet')).toEqual({ patch: { spec: { replicas: 2 } } });
  });
});

describe('an MPIJob whose template was changed while it is suspended', () => {
  const status: JobStatus = {
    state: 'Suspended',
    conditions: [{ type: 'Suspended', status: 'True', reason: 'MPIJobSuspended' }],
  };
  const launcherJob = { spec: { suspend: true } };
  const atRest = (object: KubeObject) =>
    object.kind === 'StatefulSet' ? ({ ...object, spec: { replicas: 0 } } as KubeObject) : object;

  /** The job has an image and a toleration now; `made` is the spec from which its Job and StatefulSet were created. */
  function planOfChanged(generation: MPIGeneration, made: Spec, others: Partial<MPIWorld> = {}) {
    const kinds = [finallyOf({ generation, spec: made }, 'Job'), finallyOf({ generation, spec: made }, 'StatefulSet')];
    const as = (object: KubeObject) => {
      const then = kinds.find((each) => each?.kind === object.kind)?.metadata?.annotations;
      const metadata = { ...object.metadata, ...(then && { annotations: then }) };
      return atRest({ ...object, metadata });
    };
    const phases = { launcher: '-', worker: '--' };
    return planOf({ generation, status, launcherJob, phases, ...others, spec: { ...NOW, ...others.spec }, as });
  }

  const templateWith = (image: string, spec: object = {}) => ({
    spec: { containers: [{ name: 'mpi', image }], ...spec },
  });
  const rolesWith = (image: string, spec?: object): Spec => {
    const template = templateWith(image, spec);
    return { mpiReplicaSpecs: { Launcher: { template }, Worker: { replicas: 2, template } }, template };
  };
  const NOW = rolesWith('registry.example/pi:2', { tolerations: [{ key: 'gpu' }] });
  const BEFORE = rolesWith('registry.example/pi:1');
  const ELSEWHERE = rolesWith('registry.example/pi:2', { nodeSelector: { zone: 'south' } });
  const suspended: Spec = { runPolicy: { suspend: true } };

  it.each<[what: string, MPIGeneration, made: Spec, spec: Spec, remove: string[]]>([
    ['recreates its Job', 'v2beta1', BEFORE, suspended, ['Job pi-launcher']],
    ['recreates its Job when it is resumed', 'v2beta1', BEFORE, {}, ['Job pi-launcher']],
    ['keeps a Job with other scheduling constraints', 'v2beta1', ELSEWHERE, suspended, []],
    ['keeps a Job with other scheduling constraints when it is resumed', 'v2beta1', ELSEWHERE, {}, []],
    ['recreates its StatefulSet', 'v1alpha1', BEFORE, suspended, ['StatefulSet pi-worker']],
    ['recreates its StatefulSet when it is resumed', 'v1alpha1', BEFORE, {}, ['StatefulSet pi-worker']],
  ])('%s (%s)', (_what, generation, made, spec, remove) => {
    const plan = planOfChanged(generation, made, { spec });
    expect(summaryOf(plan)).toMatchObject({ remove });
    expect(summaryOf(plan).change).toEqual(remove.length > 0 || spec === suspended ? [] : ['Job pi-launcher']);
  });

  it.each(['R', 'Y'])('waits until the pods of the old template are gone (%s)', (letter) => {
    const v2beta1 = planOfChanged('v2beta1', BEFORE, { phases: { launcher: letter } });
    expect([summaryOf(v2beta1).change, summaryOf(v2beta1).remove]).toEqual([[], []]);
    const v1alpha1 = planOfChanged('v1alpha1', BEFORE, { phases: { worker: letter } });
    expect([summaryOf(v1alpha1).change, summaryOf(v1alpha1).remove]).toEqual([[], []]);
  });

  it('does not wait for pods of earlier tries, which are kept for their logs', () => {
    expect(summaryOf(planOfChanged('v2beta1', BEFORE, { phases: { launcher: 'f' } })).remove).toEqual([
      'Job pi-launcher',
    ]);
  });

  it('changes nothing while it runs', () => {
    const running = { status: {}, launcherJob: {}, phases: { launcher: 'R', worker: 'YY' } };
    const plan = planOfChanged('v2beta1', BEFORE, running);
    expect([summaryOf(plan).remove, patchOf(plan, 'Job')]).toEqual([[], undefined]);
  });
});
