/** Plans for MPIJobs of each generation by the state of their pods. Letters: see `test-support/mpi-world.ts`. */
import { planJob } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import type { JobStatus, KubeObject, MPIGeneration } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import {
  conditionOf,
  isLauncher,
  madeOf,
  NO_WORKERS,
  patchOf,
  planOf,
  summaryOf,
  templateOf,
  WAITS,
  worldOf,
  type MPIWorld,
  type Phases,
  type Spec,
  type Workload,
} from '../test-support/mpi-world.ts';
import { mpiAdapter } from './mpi-adapter.ts';

type State = 'Created' | 'Running' | 'Succeeded' | 'Failed' | 'Restarting';

const ORDERED: Spec = { runPolicy: { suspend: false, startOrder: [{ role: 'Launcher', dependsOn: ['Worker'] }] } };

describe('the launcher', () => {
  it.each<[what: string, world: MPIWorld, isMade: boolean]>([
    ['of v2beta1 is created with the workers', { generation: 'v2beta1' }, true],
    ['of v2beta1 is created beside pending workers', { generation: 'v2beta1', phases: { worker: 'PP' } }, true],
    ['of v2beta1 that waits is not created with them', { generation: 'v2beta1', spec: WAITS }, false],
    [
      'of v2beta1 that waits is not created while they run and are not ready',
      { generation: 'v2beta1', spec: WAITS, phases: { worker: 'RR' } },
      false,
    ],
    [
      'of v2beta1 that waits is not created before the last is ready',
      { generation: 'v2beta1', spec: WAITS, phases: { worker: 'YR' } },
      false,
    ],
    [
      'of v2beta1 that waits is not created while one is missing',
      { generation: 'v2beta1', spec: WAITS, phases: { worker: 'Y-' } },
      false,
    ],
    [
      'of v2beta1 that waits is created when all are ready',
      { generation: 'v2beta1', spec: WAITS, phases: { worker: 'YY' } },
      true,
    ],
    ['of v2beta1 does not wait without workers', { generation: 'v2beta1', spec: { ...NO_WORKERS, ...WAITS } }, true],
    ['with startOrder is not created with the workers', { generation: 'v2beta1', spec: ORDERED }, false],
    [
      'with startOrder is not created before all run',
      { generation: 'v2beta1', spec: ORDERED, phases: { worker: 'RP' } },
      false,
    ],
    [
      'with startOrder is created when all run',
      { generation: 'v2beta1', spec: ORDERED, phases: { worker: 'RR' } },
      true,
    ],
    [
      'of v1 with startOrder is created before all are ready',
      { generation: 'v1', spec: ORDERED, phases: { worker: 'RR' } },
      true,
    ],
    ['of v1 is not created with the workers', { generation: 'v1' }, false],
    ['of v1 is not created before the last is ready', { generation: 'v1', phases: { worker: 'RY' } }, false],
    ['of v1 is created when all are ready', { generation: 'v1', phases: { worker: 'YY' } }, true],
    ['of v1alpha1 is not created with the workers', { generation: 'v1alpha1' }, false],
    [
      'of v1alpha1 is not created before the last is ready',
      { generation: 'v1alpha1', phases: { worker: 'YR' } },
      false,
    ],
    ['of v1alpha1 is created when all are ready', { generation: 'v1alpha1', phases: { worker: 'YY' } }, true],
    ['of v1alpha1 does not wait as a single pod', { generation: 'v1alpha1', workers: 0 }, true],
  ])('%s', (_what, world, isMade) => {
    expect(summaryOf(planOf(world)).create.filter(isLauncher)).toHaveLength(isMade ? 1 : 0);
  });

  it.each<[MPIGeneration, Spec]>([
    ['v2beta1', WAITS],
    ['v1', {}],
    ['v1alpha1', {}],
  ])('of %s that waits for long reports that in the condition Waiting', (generation, spec) => {
    const status = { startTime: '2020-01-01T00:00:00Z' };
    const { status: { conditions } = {} } = planOf({ generation, spec, status, phases: { worker: 'YR' } });
    expect(conditions?.find(({ type }) => type === 'Waiting')).toMatchObject({
      reason: 'StartOrder',
      message: 'No pods of Launcher are created before all 2 of Worker are ready (now 1).',
    });
  });

  it.each<[MPIGeneration, Spec]>([
    ['v2beta1', WAITS],
    ['v1', {}],
    ['v1alpha1', {}],
  ])('of %s that exists is kept when a worker is lost', (generation, spec) => {
    const { change, remove } = summaryOf(planOf({ generation, spec, phases: { launcher: 'R', worker: 'Y-' } }));
    expect([...change.filter(isLauncher), ...remove]).toEqual([]);
  });

  it('of v2beta1 is created after its keys, which a plan does not contain', () => {
    const { ensure, ownedResources } = planOf({ generation: 'v2beta1' });
    const [secret] = ensure;
    expect(secret?.object).toMatchObject({
      kind: 'Secret',
      metadata: { name: 'pi-ssh' },
      type: 'kubernetes.io/ssh-auth',
    });
    expect(secret?.object).not.toHaveProperty('data');
    expect(secret?.serves({ data: { 'ssh-privatekey': 'a', 'ssh-publickey': 'b' } } as KubeObject)).toBe(true);
    expect(secret?.serves({ data: { 'ssh-privatekey': 'a' } } as KubeObject)).toBe(false);
    expect(ownedResources.create.map(({ resource }) => resource.kind)).toEqual(['ConfigMap', 'Service', 'Job']);
  });

  it.each<MPIGeneration>(['v1', 'v1alpha1'])('of %s needs no keys', (generation) => {
    expect(planOf({ generation }).ensure).toEqual([]);
  });
});

describe('the outcome of an MPIJob', () => {
  it.each<[what: string, world: MPIWorld, state: State]>([
    [
      'runs when the launcher and all workers do',
      { generation: 'v2beta1', phases: { launcher: 'R', worker: 'RR' } },
      'Running',
    ],
    [
      'does not run while a worker is pending',
      { generation: 'v2beta1', phases: { launcher: 'R', worker: 'RP' } },
      'Created',
    ],
    [
      'does not run while the launcher is pending',
      { generation: 'v2beta1', phases: { launcher: 'P', worker: 'RR' } },
      'Created',
    ],
    ['does not run with workers alone', { generation: 'v2beta1', spec: WAITS, phases: { worker: 'RR' } }, 'Created'],
    [
      'has succeeded when the Job of the launcher has',
      { generation: 'v2beta1', phases: { launcher: 'S', worker: 'RR' } },
      'Succeeded',
    ],
    [
      'has succeeded when the pod of the launcher has',
      { generation: 'v2beta1', phases: { launcher: 's', worker: 'RR' } },
      'Succeeded',
    ],
    [
      'has failed when the Job of the launcher has',
      { generation: 'v2beta1', phases: { launcher: 'F', worker: 'RR' } },
      'Failed',
    ],
    [
      'continues when the Job creates another launcher',
      { generation: 'v2beta1', phases: { launcher: 'f', worker: 'RR' } },
      'Created',
    ],
    [
      'runs without workers if it has none',
      { generation: 'v2beta1', spec: NO_WORKERS, phases: { launcher: 'R' } },
      'Running',
    ],
    ['survives the loss of a worker', { generation: 'v2beta1', phases: { launcher: 'R', worker: 'RF' } }, 'Running'],
    ['survives the loss of all workers', { generation: 'v2beta1', phases: { launcher: 'R', worker: 'FF' } }, 'Running'],
    [
      'waits for a launcher to notice a lost worker',
      { generation: 'v2beta1', phases: { launcher: 'P', worker: 'RF' } },
      'Created',
    ],
    [
      'fails when a worker failed for which the launcher would wait forever',
      { generation: 'v2beta1', spec: WAITS, phases: { worker: 'YF' } },
      'Failed',
    ],
    ['recreates evicted workers', { generation: 'v2beta1', phases: { launcher: 'R', worker: 'RE' } }, 'Restarting'],
    ['runs in v1 while the launcher runs', { generation: 'v1', phases: { launcher: 'R', worker: 'RP' } }, 'Running'],
    [
      'has succeeded in v1 when the launcher has',
      { generation: 'v1', phases: { launcher: 'S', worker: 'RR' } },
      'Succeeded',
    ],
    [
      'has succeeded in v1 also beside a failed worker',
      { generation: 'v1', phases: { launcher: 'S', worker: 'RF' } },
      'Succeeded',
    ],
    ['has failed in v1 when the launcher has', { generation: 'v1', phases: { launcher: 'F', worker: 'RR' } }, 'Failed'],
    ['has failed in v1 when a worker has', { generation: 'v1', phases: { launcher: 'R', worker: 'RF' } }, 'Failed'],
    [
      'has failed in v1 when a worker has before the launcher',
      { generation: 'v1', phases: { worker: 'PF' } },
      'Failed',
    ],
    ['recreates evicted workers of v1', { generation: 'v1', phases: { launcher: 'R', worker: 'RE' } }, 'Restarting'],
    [
      'runs in v1alpha1 with all its pods',
      { generation: 'v1alpha1', phases: { launcher: 'R', worker: 'YY' } },
      'Running',
    ],
    [
      'does not run in v1alpha1 before all pods do',
      { generation: 'v1alpha1', phases: { launcher: 'R', worker: 'YP' } },
      'Created',
    ],
    [
      'leaves failed workers of v1alpha1 to their StatefulSet',
      { generation: 'v1alpha1', phases: { launcher: 'R', worker: 'YF' } },
      'Created',
    ],
    [
      'leaves failed workers of v1alpha1 to their StatefulSet also before there is a launcher',
      { generation: 'v1alpha1', phases: { worker: 'FF' } },
      'Created',
    ],
    [
      'has succeeded in v1alpha1 when the Job of the launcher has',
      { generation: 'v1alpha1', phases: { launcher: 'S', worker: 'YY' } },
      'Succeeded',
    ],
    [
      'has failed in v1alpha1 when the Job of the launcher has',
      { generation: 'v1alpha1', phases: { launcher: 'F', worker: 'YY' } },
      'Failed',
    ],
    ['runs in v1alpha1 in a single pod', { generation: 'v1alpha1', workers: 0, phases: { launcher: 'R' } }, 'Running'],
  ])('%s', (_what, world, state) => {
    expect(planOf(world).status?.state).toBe(state);
  });

  it('reports a failing launcher while its Job creates the next one', () => {
    const launcherJob = { status: { failed: 2 } };
    const plan = planOf({ generation: 'v2beta1', phases: { launcher: 'f', worker: 'RR' }, launcherJob });
    const { status, reason, message } = conditionOf(plan, 'Waiting') ?? {};
    expect([status, reason]).toEqual(['True', 'CrashLoop']);
    expect(message).toMatch(/^Pod pi-launcher\S*, container mpi keeps failing: failed 2 times; last exit code \d+/);
  });

  it('recreates failed workers of v1 if the policy allows it', () => {
    const mpiReplicaSpecs = {
      Launcher: { template: templateOf() },
      Worker: { replicas: 2, template: templateOf(), restartPolicy: 'OnFailure' as const },
    };
    const plan = planOf({ generation: 'v1', spec: { mpiReplicaSpecs }, phases: { launcher: 'R', worker: 'RF' } });
    expect(plan.status).toMatchObject({ state: 'Restarting', restartCount: 1 });
  });

  it.each<[what: string, world: MPIWorld, condition: object]>([
    [
      "with the Job's message",
      { generation: 'v2beta1', phases: { launcher: 'F', worker: 'RR' } },
      {
        reason: 'BackoffLimitExceeded',
        message:
          'Job has reached the specified backoff limit. First: pod pi-launcher-abcde, container mpi: exit code 1 (Error)',
      },
    ],
    [
      "with the launcher pod's message if there is no Job",
      { generation: 'v1', phases: { launcher: 'F', worker: 'RR' } },
      {
        reason: 'MPIJobFailed',
        message:
          'MPIJob team/pi is failing because its launcher failed. First: pod pi-launcher, container mpi: exit code 1 (Error)',
      },
    ],
    [
      'with the number of workers',
      { generation: 'v1', phases: { launcher: 'R', worker: 'FF' } },
      {
        reason: 'MPIJobFailed',
        message:
          'MPIJob team/pi is failing because 2 Worker replica(s) failed. First: pod pi-worker-0, container mpi: exit code 1 (Error)',
      },
    ],
    [
      'with a hint, when workers do not wait for the launcher',
      { generation: 'v1', phases: { worker: 'SY' } },
      {
        reason: 'MPIJobFailed',
        message:
          "MPIJob team/pi is failing because 1 Worker replica(s) ended before the launcher could start processes in them: remove the workers' command, or use one that runs until it is stopped.",
      },
    ],
  ])('reports why it has failed %s', (_what, world, condition) => {
    expect(conditionOf(planOf(world), 'Failed')).toMatchObject({ status: 'True', ...condition });
  });
});

describe('an MPIJob that has ended', () => {
  const ended = (type: 'Succeeded' | 'Failed'): JobStatus => ({
    state: type,
    completionTime: '2030-01-01T11:59:00Z',
    conditions: [{ type, status: 'True', reason: `MPIJob${type}` }],
  });

  it.each<[what: string, world: MPIWorld, change: string[], remove: string[]]>([
    [
      'keeps ended pods, and stops the workers',
      { generation: 'v2beta1', phases: { launcher: 'S', worker: 'YF' } },
      [],
      ['PodGroup pi', 'Pod pi-worker-0'],
    ],
    [
      'keeps all its pods under None',
      {
        generation: 'v2beta1',
        phases: { launcher: 'S', worker: 'YF' },
        spec: { runPolicy: { suspend: false, cleanPodPolicy: 'None' } },
      },
      [],
      ['PodGroup pi'],
    ],
    [
      'stops running pods under Running',
      {
        generation: 'v2beta1',
        phases: { launcher: 'S', worker: 'YF' },
        spec: { runPolicy: { suspend: false, cleanPodPolicy: 'Running' } },
      },
      [],
      ['PodGroup pi', 'Pod pi-worker-0'],
    ],
    [
      'applies the older policy field of v1',
      { generation: 'v1', phases: { launcher: 'S', worker: 'YF' }, spec: { cleanPodPolicy: 'All' } },
      [],
      ['PodGroup pi', 'Pod pi-launcher', 'Pod pi-worker-0', 'Pod pi-worker-1'],
    ],
    [
      'prefers the newer policy field',
      {
        generation: 'v1',
        phases: { launcher: 'S', worker: 'YF' },
        spec: { cleanPodPolicy: 'All', runPolicy: { suspend: false, cleanPodPolicy: 'None' } },
      },
      [],
      ['PodGroup pi'],
    ],
    [
      'deletes all pods under All, except the launcher that a Job keeps',
      {
        generation: 'v2beta1',
        phases: { launcher: 'S', worker: 'YF' },
        spec: { runPolicy: { suspend: false, cleanPodPolicy: 'All' } },
      },
      [],
      ['PodGroup pi', 'Pod pi-worker-0', 'Pod pi-worker-1'],
    ],
    [
      'deletes the launcher of v1 as well under All',
      {
        generation: 'v1',
        phases: { launcher: 'S', worker: 'YF' },
        spec: { runPolicy: { suspend: false, cleanPodPolicy: 'All' } },
      },
      [],
      ['PodGroup pi', 'Pod pi-launcher', 'Pod pi-worker-0', 'Pod pi-worker-1'],
    ],
    [
      'scales down the StatefulSet, which deletes its pods',
      { generation: 'v1alpha1', phases: { launcher: 'S', worker: 'YY' } },
      ['StatefulSet pi-worker'],
      ['PodGroup pi'],
    ],
    [
      'suspends a Job that would retry',
      { generation: 'v2beta1', phases: { launcher: 'R', worker: 'YY' }, status: ended('Failed') },
      ['Job pi-launcher'],
      ['Pod pi-worker-0', 'Pod pi-worker-1'],
    ],
    [
      'suspends a Job without a pod, which would create one',
      { generation: 'v2beta1', phases: { launcher: '-' }, status: ended('Failed') },
      ['Job pi-launcher'],
      [],
    ],
    [
      'does not change a Job that is about to observe its end',
      { generation: 'v2beta1', phases: { launcher: 's' }, status: ended('Succeeded') },
      [],
      [],
    ],
  ])('%s', (_what, world, change, remove) => {
    const plan = summaryOf(planOf({ ...world, gang: 'coscheduler' }));
    // The group is deleted at the end of the run, which is over for a job that is found ended.
    const gone = world.status === undefined ? remove : ['PodGroup pi', ...remove];
    expect(plan).toEqual({ create: [], change, remove: gone });
  });

  it('stops the pods of each kind in its own way', () => {
    const phases = { launcher: 'R', worker: 'YY' };
    const plan = planOf({ generation: 'v1alpha1', phases, status: ended('Failed') });
    expect(patchOf(plan, 'StatefulSet')).toEqual({ patch: { spec: { replicas: 0 } } });
    expect(patchOf(plan, 'Job')).toEqual({ patch: { spec: { suspend: true } } });
  });

  it('does not run again when its Job is gone', () => {
    for (const generation of ['v2beta1', 'v1', 'v1alpha1'] as const) {
      const plan = planOf({ generation, phases: {}, status: ended('Succeeded') });
      expect(summaryOf(plan).create).toEqual([]);
    }
  });
});

describe('an MPIJob of a CRD without apiGeneration and defaults', () => {
  const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
  const planUnder = (apiVersion: string | undefined, spec: object, status: object = {}) => {
    const world = worldOf({ generation: 'v2beta1' });
    const { metadata } = world.manifest;
    const manifest = { ...(apiVersion !== undefined && { apiVersion }), metadata, spec, status };
    return planned(planJob(mpiAdapter(), { ...world, manifest: manifest as never }, settings));
  };
  const template = templateOf();
  const roles = { mpiReplicaSpecs: { Launcher: { template }, Worker: { template } } };

  it.each<[apiVersion: string | undefined, spec: object, pods: object]>([
    ['kubeflow.org/v2beta1', roles, { Job: 1, Pod: 1 }],
    [undefined, roles, { Job: 1, Pod: 1 }],
    ['kubeflow.org/v1', roles, { Pod: 1 }],
    ['kubeflow.org/v1alpha1', { replicas: 2, template }, { StatefulSet: 1 }],
  ])('is of the version in which it is read: %s', (apiVersion, spec, pods) => {
    const plan = planUnder(apiVersion, spec);
    expect(plan.events.filter(({ type }) => type === 'Warning')).toEqual([]);
    const kinds = [
      ...plan.create.pods.map(() => 'Pod'),
      ...plan.ownedResources.create.map(({ object }) => object.kind),
    ];
    const found = kinds.filter((kind) => ['Pod', 'Job', 'StatefulSet'].includes(kind ?? ''));
    expect(Object.fromEntries(found.map((kind) => [kind, found.filter((each) => each === kind).length]))).toEqual(pods);
  });

  it('reports the field if its spec is one of another version', () => {
    const plan = planUnder('kubeflow.org/v2beta1', { replicas: 2, template });
    expect(conditionOf(plan, 'Failed')?.message).toMatch(/^spec\.mpiReplicaSpecs: Required value/);
  });

  it('is not restarted or failed if it already runs under the other operator', () => {
    const conditions = [{ type: 'Running', status: 'True' }];
    const plan = planUnder('kubeflow.org/v2beta1', { replicas: 2 }, { conditions, startTime: '2030-01-01T00:00:00Z' });
    expect(plan.events.map(({ reason }) => reason)).not.toContain('PlanningFailed');
    expect(conditionOf(plan, 'Failed')).toBeUndefined();
  });
});

describe('an MPIJob of v1alpha1', () => {
  it('that cannot be distributed over nodes has failed, with the field to correct', () => {
    const plan = planOf({ generation: 'v1alpha1', spec: { gpus: 12 }, settings: { gpusPerNode: 8 } });
    expect(conditionOf(plan, 'Failed')).toMatchObject({ status: 'True', reason: 'InvalidSpec' });
    expect(conditionOf(plan, 'Failed')?.message).toMatch(/^spec\.gpus: 12 cannot be spread over nodes of 8: /);
    expect(summaryOf(plan)).toEqual({ create: [], change: [], remove: [] });
  });

  it('that runs keeps its pods if its new size cannot be distributed over nodes, and reports the field to correct', () => {
    const world: MPIWorld = { generation: 'v1alpha1', workers: 2, phases: { launcher: 'Y', worker: 'YY' } };
    const { status = {} } = planOf(world);
    const size = { processingUnits: 13, processingUnitsPerNode: 8 };
    const template = templateOf();
    const impossible: Spec = { ...size, template };
    const whole = worldOf(world);
    const manifest = {
      ...whole.manifest,
      metadata: { ...whole.manifest.metadata, generation: 2 },
      spec: { apiGeneration: 'v1alpha1' as const, runPolicy: { suspend: false }, ...impossible },
      status,
    };
    const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
    const plan = planned(planJob(mpiAdapter(), { ...whole, manifest }, settings));
    expect(summaryOf(plan)).toEqual({ create: [], change: [], remove: [] });
    expect(plan.events.map(({ reason, note }) => `${reason}: ${note}`)).toEqual([
      expect.stringMatching(/^InvalidChange: .*spec\.processingUnits: 13 cannot be spread over nodes of 8/),
    ]);
    expect([plan.status?.state ?? status.state, plan.status?.ready ?? status.ready]).toEqual(['Running', '3/3']);
  });

  it('is distributed by the setting of the operator unless it has its own', () => {
    const plan = planOf({ generation: 'v1alpha1', spec: { gpus: 16 }, settings: { gpusPerNode: 8 } });
    expect(madeOf<Workload>(plan, 'StatefulSet')?.spec?.replicas).toBe(1);
  });

  it.each<[what: string, phases: Phases, status: object]>([
    ['no launcher yet', { worker: 'YR' }, { workerReplicas: 1 }],
    ['a launcher that is pending', { launcher: 'P', worker: 'YY' }, { workerReplicas: 2 }],
    ['a launcher that runs', { launcher: 'R', worker: 'YY' }, { launcherStatus: 'Active', workerReplicas: 2 }],
    [
      'a launcher that has succeeded',
      { launcher: 'S', worker: 'YY' },
      { launcherStatus: 'Succeeded', workerReplicas: 0 },
    ],
    ['a launcher that has failed', { launcher: 'F', worker: 'Y-' }, { launcherStatus: 'Failed', workerReplicas: 0 }],
  ])('has status fields of its own with %s', (_what, phases, status) => {
    const written = planOf({ generation: 'v1alpha1', phases }).stored as JobStatus & Record<string, unknown>;
    expect({
      ...('launcherStatus' in written && { launcherStatus: written.launcherStatus }),
      workerReplicas: written.workerReplicas,
    }).toEqual(status);
  });

  it.each<
    [what: string, runPolicy: { suspend: boolean; activeDeadlineSeconds?: number }, launcherStatus: string | undefined]
  >([
    ['a job that is suspended', { suspend: true }, undefined],
    ['a job that a deadline has ended', { suspend: false, activeDeadlineSeconds: 1 }, 'Failed'],
  ])('has no active launcher in its status with %s', (_what, runPolicy, launcherStatus) => {
    const status = { startTime: '2020-01-01T00:00:00Z', launcherStatus: 'Active', workerReplicas: 2 };
    const phases = { launcher: 'R', worker: 'YY' };
    const plan = planOf({ generation: 'v1alpha1', phases, status, spec: { runPolicy } });
    const written = plan.stored as JobStatus & Record<string, unknown>;
    expect([written.launcherStatus, written.workerReplicas]).toEqual([launcherStatus, 0]);
  });

  it.each<MPIGeneration>(['v1', 'v2beta1'])('alone has these fields, and %s does not', (generation) => {
    const { status } = planOf({ generation, phases: { launcher: 'R', worker: 'YY' } });
    expect(status).not.toHaveProperty('launcherStatus');
    expect(status).not.toHaveProperty('workerReplicas');
  });
});
