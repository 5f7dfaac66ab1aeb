import type { CoschedulingPodGroup, VolcanoPodGroup } from '@muster/job-api';
import { installCrd, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { podGroupCrd } from '../../test-support/pod-group-crd.ts';
import { storedOwner } from '../../test-support/stored-owner.ts';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { GroupingScheduler } from '../contract/gang-scheduler.ts';
import { gangSize } from './gang-size.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';
import { VOLCANO } from './volcano.ts';

const cluster = await testCluster();
const REQUESTS = { cpu: '1000m', memory: '1.5Gi', 'nvidia.com/gpu': '1' };

type SchedulingPolicy = NonNullable<Parameters<typeof trainingJob>[1]>['schedulingPolicy'];

function groupsOf<Group extends VolcanoPodGroup | CoschedulingPodGroup>(gang: GroupingScheduler<Group>) {
  const { client } = cluster;
  const key = (job: TrainingJob) => ({ name: job.metadata.name, namespace: job.metadata.namespace });
  return {
    wanted: (job: TrainingJob) => gang.groups.desired(job, gangSize(NO_RULES, job)),
    create: (job: TrainingJob) =>
      client.create(gang.groups.resource, gang.groups.desired(job, gangSize(NO_RULES, job))),
    read: (job: TrainingJob) => client.get(gang.groups.resource, key(job)),
    async change(job: TrainingJob): Promise<Group | undefined> {
      const existing = await client.get(gang.groups.resource, key(job));
      const patch = gang.groups.change(existing, gang.groups.desired(job, gangSize(NO_RULES, job)));
      return typeof patch === 'object' ? client.patch(gang.groups.resource, key(job), patch) : undefined;
    },
  };
}

async function jobMaker(): Promise<(workers: number, schedulingPolicy?: SchedulingPolicy) => TrainingJob> {
  const namespace = await cluster.namespace();
  const stored = await storedOwner(cluster.client, namespace);
  return (workers, schedulingPolicy) =>
    trainingJob([role('Worker', workers, podSpec(REQUESTS))], {
      namespace,
      stored,
      annotations: { 'volcano.sh/preemptable': 'true' },
      ...(schedulingPolicy && { schedulingPolicy }),
    });
}

beforeAll(async () => {
  await installCrd(cluster.client, podGroupCrd(VOLCANO.groups.resource));
  await installCrd(cluster.client, podGroupCrd(schedulerPlugins('any').groups.resource));
});

describe.each([
  { gang: VOLCANO, policy: { queue: 'research', priorityClass: 'high' } },
  { gang: schedulerPlugins('my-scheduler'), policy: { scheduleTimeoutSeconds: 30 } },
])('a stored PodGroup of $gang.name', ({ gang, policy }) => {
  const groups = groupsOf<VolcanoPodGroup | CoschedulingPodGroup>(gang);

  it.each([
    { name: 'no policy', of: undefined },
    { name: 'a policy', of: policy },
  ])('equals the desired one after its creation, with $name', async ({ of }) => {
    const job = (await jobMaker())(3, of);
    await groups.create(job);
    expect(await groups.change(job)).toBeUndefined();
  });

  it('gets another size by one patch', async () => {
    const job = await jobMaker();
    await groups.create(job(3));
    expect(await groups.change(job(5))).toMatchObject({
      spec: { minMember: 5, minResources: { cpu: '5', memory: '7680Mi', 'nvidia.com/gpu': '5' } },
    });
    expect(await groups.change(job(5))).toBeUndefined();
  });

  it('loses fields that the policy no longer has', async () => {
    const job = await jobMaker();
    await groups.create(job(3, { ...policy, queue: 'default', minResources: { 'example.com/link': '4' } }));
    expect((await groups.change(job(3)))?.spec).toEqual(groups.wanted(job(3)).spec);
    expect(await groups.change(job(3))).toBeUndefined();
  });
});

describe('a stored PodGroup of Volcano', () => {
  it("keeps the scheduler's status and fields of others", async () => {
    const job = await jobMaker();
    const groups = groupsOf(VOLCANO);
    const { metadata } = await groups.create(job(3));
    const theirs = {
      metadata: { labels: { theirs: 'yes' }, annotations: { theirs: 'yes' } },
      spec: { networkTopology: { mode: 'hard' } },
      status: { phase: 'Running', running: 3 },
    };
    await cluster.client.patch(
      VOLCANO.groups.resource,
      { name: 'mnist', namespace: metadata?.namespace ?? '' },
      theirs,
    );
    expect(await groups.change(job(3))).toBeUndefined();
    await groups.change(job(4));
    expect(await groups.read(job(4))).toMatchObject({ ...theirs, spec: { ...theirs.spec, minMember: 4 } });
  });
});
