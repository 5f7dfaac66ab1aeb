import { describe, expect, it } from 'vitest';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';

const GANG = schedulerPlugins('my-scheduler');
const WORKER = role('Worker', 2);
const SIZE = { minMember: 2, minResources: { cpu: '2' } };

describe('scheduler-plugins', () => {
  it('makes a PodGroup of the name of the job, with the time to wait of its policy', () => {
    const job = trainingJob([WORKER], {
      schedulingPolicy: { scheduleTimeoutSeconds: 30, queue: 'research', priorityClass: 'high' },
    });
    expect(GANG.groups.desired(job, SIZE)).toMatchObject({
      apiVersion: 'scheduling.x-k8s.io/v1alpha1',
      kind: 'PodGroup',
      metadata: { name: 'mnist', namespace: 'team', ownerReferences: [{ kind: 'PyTorchJob', uid: 'uid-1' }] },
      spec: { minMember: 2, minResources: { cpu: '2' }, scheduleTimeoutSeconds: 30 },
    });
  });

  it('has no queue and no priority to set', () => {
    const job = trainingJob([WORKER], { schedulingPolicy: { queue: 'research', priorityClass: 'high' } });
    expect(GANG.groups.desired(job, SIZE).spec).toEqual(SIZE);
  });

  it('changes what it sets and nothing else', () => {
    const group = GANG.groups.desired(trainingJob([WORKER]), SIZE);
    const existing = { ...group, spec: { minMember: 4, minResources: { cpu: '2.0' }, scheduleTimeoutSeconds: 9 } };
    expect(GANG.groups.change(existing, group)).toEqual({ spec: { minMember: 2, scheduleTimeoutSeconds: null } });
    expect(GANG.groups.change(group, group)).toBeUndefined();
  });

  it('labels the pod with its group and names the scheduler', () => {
    const pod = { metadata: { name: 'p', labels: { mine: 'yes' } }, spec: podSpec() };
    expect(GANG.decorate(pod, trainingJob([WORKER]), { role: WORKER, index: 0 }, NO_RULES)).toEqual({
      metadata: { name: 'p', labels: { mine: 'yes', 'scheduling.x-k8s.io/pod-group': 'mnist' } },
      spec: { ...podSpec(), schedulerName: 'my-scheduler' },
    });
  });

  it('keeps the scheduler and the group that the user has named', () => {
    const pod = {
      metadata: { labels: { 'scheduling.x-k8s.io/pod-group': 'both-jobs' } },
      spec: podSpec({}, { schedulerName: 'mine' }),
    };
    expect(GANG.decorate(pod, trainingJob([WORKER]), { role: WORKER, index: 0 }, NO_RULES)).toEqual(pod);
  });

  it('never holds pods back, not even before its group is there', () => {
    expect(GANG.groups.waitsFor(undefined)).toBeUndefined();
  });
});
