import { gangSchedulerNamed, newWorld, planJob } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import type { Pod, VolcanoJob, VolcanoTaskSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { PLAIN_PLUGIN, TEMPLATE, volcanoJob } from '../test-support/volcano-jobs.ts';
import { volcanoRunPolicy } from './model/read-volcano-job.ts';
import { volcanoJobAdapter } from './volcano-job-adapter.ts';

const adapter = volcanoJobAdapter(PLAIN_PLUGIN);
type Spec = Partial<VolcanoJob['spec']>;

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

describe('a Job', () => {
  it.each<
    [
      what: string,
      spec: Spec,
      tasks: Record<string, Partial<VolcanoTaskSpec>> | undefined,
      path: string,
      message: string,
    ]
  >([
    ['without tasks', { tasks: [] }, undefined, 'spec.tasks', 'must be at least 1'],
    [
      'with two tasks of one name',
      { tasks: [1, 2].map(() => ({ name: 'a', template: TEMPLATE })) },
      undefined,
      'spec.tasks',
      'two tasks have the same name',
    ],
    [
      'that needs more pods than a task has',
      {},
      { worker: { replicas: 1, minAvailable: 2 } },
      'spec.tasks',
      'must not be more than its replicas',
    ],
    [
      'that needs more pods than it has',
      { minAvailable: 3 },
      undefined,
      'spec.minAvailable',
      'must not be more than the replicas of all tasks',
    ],
    [
      'with event and exit code',
      { policies: [{ action: 'RestartJob', event: 'PodFailed', exitCode: 1 }] },
      undefined,
      'spec.policies[0].exitCode',
      'either an exit code or events',
    ],
    [
      'with a policy without an event',
      { policies: [{ action: 'RestartJob' }] },
      undefined,
      'spec.policies[0].event',
      'set the event',
    ],
    [
      'with exit code 0',
      { policies: [{ action: 'RestartJob', exitCode: 0 }] },
      undefined,
      'spec.policies[0].exitCode',
      '0 is not a failure',
    ],
    [
      'with an event in two policies',
      {
        policies: [
          { action: 'RestartJob', event: 'PodFailed' },
          { action: 'AbortJob', events: ['PodEvicted', 'PodFailed'] },
        ],
      },
      undefined,
      'spec.policies',
      'an event is in two policies',
    ],
    [
      'with * and another event',
      { policies: [{ action: 'AbortJob', events: ['*', 'PodFailed'] }] },
      undefined,
      'spec.policies',
      '* is every event',
    ],
    [
      'with an unknown action',
      { policies: [{ action: 'Restart' as 'RestartJob', event: 'PodFailed' }] },
      undefined,
      'spec.policies[0].action',
      'Unsupported value: "Restart"',
    ],
    [
      'that restarts pending pods without a timeout',
      { policies: [{ action: 'RestartJob', event: 'PodPending' }] },
      undefined,
      'spec.policies[0].timeout',
      'set how long it may be pending',
    ],
    [
      'with an invalid timeout in a policy',
      { policies: [{ action: 'RestartJob', event: 'PodFailed', timeout: 'soon' }] },
      undefined,
      'spec.policies[0].timeout',
      'a duration such as 90s',
    ],
    [
      'with an event of the scheduler',
      {},
      { worker: { policies: [{ action: 'RestartJob', event: 'Unknown' }] } },
      'spec.tasks[0].policies[0].event',
      'Muster supports *, PodFailed',
    ],
    [
      'with a policy that restarts a completed task',
      { policies: [{ action: 'RestartTask', event: 'TaskCompleted' }] },
      undefined,
      'spec.policies[0].action',
      'CompleteJob, TerminateJob, AbortJob here',
    ],
    [
      'whose partitions do not cover all pods',
      {},
      { worker: { replicas: 5, partitionPolicy: { totalPartitions: 2, partitionSize: 2 } } },
      'spec.tasks[0].replicas',
      '2 partitions of 2 pods are 4',
    ],
    [
      'whose minPartitions contradicts minAvailable',
      {},
      {
        worker: {
          replicas: 4,
          minAvailable: 3,
          partitionPolicy: { totalPartitions: 2, partitionSize: 2, minPartitions: 1 },
        },
      },
      'spec.tasks[0].minAvailable',
      'minPartitions requires 2',
    ],
    [
      'with a networkTopology of partitions',
      {},
      { worker: { partitionPolicy: { totalPartitions: 1, partitionSize: 1, networkTopology: {} } } },
      'spec.tasks[0].partitionPolicy.networkTopology',
      'Forbidden',
    ],
    [
      'that restarts partitions without having any',
      { policies: [{ action: 'RestartPartition', event: 'PodFailed' }] },
      undefined,
      'spec.policies[0].action',
      'Muster supports RestartJob',
    ],
    [
      'with a volume of two claims',
      { volumes: [{ mountPath: '/data', volumeClaim: {}, volumeClaimName: 'data' }] },
      undefined,
      'spec.volumes[0].volumeClaim',
      'set only one of volumeClaimName and volumeClaim',
    ],
    [
      'with a volume without a claim',
      { volumes: [{ mountPath: '/data' }] },
      undefined,
      'spec.volumes[0]',
      'set volumeClaimName or volumeClaim',
    ],
    [
      'with two volumes at one path',
      { volumes: ['one', 'two'].map((volumeClaimName) => ({ mountPath: '/data', volumeClaimName })) },
      undefined,
      'spec.volumes[1].mountPath',
      'Duplicate value: "/data"',
    ],
    [
      'whose task depends on a missing task',
      {},
      { worker: { dependsOn: { name: ['ps'] } } },
      'spec.tasks[0].dependsOn.name[0]',
      'there is no task ps',
    ],
    [
      'whose tasks depend on one another',
      {},
      { ps: { dependsOn: { name: ['worker'] } }, worker: { dependsOn: { name: ['ps'] } } },
      'spec.tasks[0].dependsOn.name',
      'task ps depends on itself',
    ],
    [
      'with two frameworks',
      { plugins: { tensorflow: [], ray: [] } },
      undefined,
      'spec.plugins.ray',
      'a Job has one framework',
    ],
  ])('%s is refused', (_what, spec, tasks, path, expected) => {
    const [problem] = adapter.problems(volcanoJob(spec, tasks));
    expect(problem?.path).toBe(path);
    expect(problem?.message).toContain(expected);
  });

  it.each([
    ['1job', 'it is also the name of a Service: it must begin with a letter'],
    ['my.job', 'it is also the name of a Service'],
    ['j'.repeat(60), 'would be longer than 63 characters'],
    ['j'.repeat(55), `${'j'.repeat(55)}-worker-1 would be longer`],
  ])('named %s is refused', (name, expected) => {
    const job = volcanoJob();
    const [problem] = adapter.problems({ ...job, metadata: { ...job.metadata, name } });
    expect(problem?.path).toBe('metadata.name');
    expect(problem?.message).toContain(expected);
  });

  it.each<[plugins: Record<string, string[]>, makes: boolean]>([
    [{ tensorflow: [] }, true],
    [{ pytorch: [] }, false],
    [{ svc: [] }, false],
  ])('with the plugins %j is reconciled: %s', (plugins, makes) => {
    const { status } = planJob(adapter, newWorld(volcanoJob({ plugins }), 0), SETTINGS);
    expect(status !== undefined).toBe(makes);
  });

  it('is readable without a spec', () => {
    expect(volcanoRunPolicy({})).toMatchObject({ cleanPodPolicy: 'Running' });
  });

  it('has a PodGroup of minAvailable pods in its queue', () => {
    const job = volcanoJob(
      { minAvailable: 2, queue: 'research', schedulerName: 'volcano' },
      { ps: {}, worker: { replicas: 3 } },
    );
    const gang = gangSchedulerNamed('volcano');
    const { ownedResources } = planned(planJob(adapter, newWorld(job, 0), { ...SETTINGS, gang }));
    const groups = ownedResources.create.filter(({ resource }) => resource.kind === 'PodGroup');
    expect(groups).toMatchObject([{ object: { spec: { minMember: 2, queue: 'research' } } }]);
  });

  it.each([
    ['volcano', undefined, undefined],
    ['mine', undefined, 'mine'],
    ['mine', 'own', 'own'],
    [undefined, 'volcano', 'volcano'],
  ])('with the scheduler %s, and %s in the template, has pods for %s', (ofJob, own, expected) => {
    const template = { spec: { ...TEMPLATE.spec, ...(own !== undefined && { schedulerName: own }) } };
    const job = volcanoJob(ofJob === undefined ? {} : { schedulerName: ofJob }, { worker: { template } });
    const { create } = planned(planJob(adapter, newWorld(job, 0), SETTINGS));
    expect(create.pods.map(({ spec }) => spec?.schedulerName)).toEqual([expected]);
  });

  it('creates pods of a dependent task only after those of its dependency', () => {
    const tasks = { ps: {}, worker: { dependsOn: { name: ['ps'] } } };
    const { create } = planned(planJob(adapter, newWorld(volcanoJob({}, tasks), 0), SETTINGS));
    expect(create.pods.map(({ metadata }) => metadata?.name)).toEqual(['pi-ps-0']);
  });

  it.each(['yunikorn', 'kai-scheduler'])(
    'creates the pods of a dependent task after those of its dependency under the gang scheduler %s',
    (name) => {
      const tasks = { ps: {}, worker: { replicas: 2, dependsOn: { name: ['ps'] } } };
      const gang = gangSchedulerNamed(name);
      const { create } = planned(planJob(adapter, newWorld(volcanoJob({}, tasks), 0), { ...SETTINGS, gang }));
      expect(create.pods.map(({ metadata }) => metadata?.name)).toEqual(['pi-ps-0']);
    },
  );

  it('excludes a dependent task from the size of its PodGroup', () => {
    const tasks = { ps: {}, worker: { replicas: 2, dependsOn: { name: ['ps'] } } };
    const gang = gangSchedulerNamed('volcano');
    const world = newWorld(volcanoJob({ minAvailable: 3 }, tasks), 0);
    const { ownedResources } = planned(planJob(adapter, world, { ...SETTINGS, gang }));
    const group = ownedResources.create.find(({ resource }) => resource.kind === 'PodGroup');
    expect(group).toMatchObject({ object: { spec: { minMember: 1, minTaskMember: { ps: 1 } } } });
  });

  it('accepts a policy that restarts upon every event', () => {
    expect(adapter.problems(volcanoJob({ policies: [{ event: '*', action: 'RestartJob' }] }))).toEqual([]);
  });

  const DELETED = { deletionTimestamp: '2030-01-01T12:00:00Z', deletionGracePeriodSeconds: 30 };
  const disruption = (reason: string) => [{ type: 'DisruptionTarget', status: 'True', reason }];

  it.each<[what: string, change: { metadata?: object; conditions?: object[] }, attempt: number | undefined]>([
    ['is drained', { metadata: DELETED, conditions: disruption('EvictionByEvictionAPI') }, 1],
    ['is preempted', { metadata: DELETED, conditions: disruption('PreemptionByScheduler') }, 1],
    ['is lost with its node', { metadata: DELETED, conditions: disruption('DeletionByTaintManager') }, 1],
    ['is about to be deleted by the eviction API', { conditions: disruption('EvictionByEvictionAPI') }, 1],
    ['is deleted by a person', { metadata: DELETED }, undefined],
  ])(
    'is restarted by its policy for PodEvicted only upon evictions by the cluster: a pod %s',
    (_what, change, attempt) => {
      const job = volcanoJob({ policies: [{ event: 'PodEvicted', action: 'RestartJob' }] });
      const { create } = planned(planJob(adapter, newWorld(job, 0), SETTINGS));
      const pods = create.pods.map((pod, at) => ({
        ...pod,
        metadata: { ...pod.metadata, ...(at === 0 && change.metadata) },
        status: { phase: 'Running', ...(at === 0 && change.conditions && { conditions: change.conditions }) },
      })) as Pod[];
      const { status } = planned(planJob(adapter, { ...newWorld(job, 0), pods }, SETTINGS));
      expect(status?.attempt).toBe(attempt);
    },
  );

  it('reports the tasks that it waits for after some time', () => {
    const tasks = { ps: {}, worker: { dependsOn: { name: ['ps'] } } };
    const job = { ...volcanoJob({}, tasks), status: { muster: { startTime: '2020-01-01T00:00:00Z' } } };
    const { status } = planned(planJob(adapter, newWorld(job, Date.UTC(2020, 0, 1, 0, 1)), SETTINGS));
    expect(status?.conditions?.find(({ type }) => type === 'Waiting')).toMatchObject({
      reason: 'StartOrder',
      message: 'No pods of worker are created before 1 of ps is ready (now 0).',
    });
  });
});
