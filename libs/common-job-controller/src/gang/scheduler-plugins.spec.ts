import { describe, expect, it } from 'vitest';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';

const GANG = schedulerPlugins('my-scheduler');
const WORKER = role('Worker', 2);
const SIZE = { minMember: 2, minResources: { cpu: '2' } };

describe('scheduler-plugins', () => {
  it("creates a PodGroup with the job's name and scheduleTimeoutSeconds", () => {
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

  it('sets no queue and no priority', () => {
    const job = trainingJob([WORKER], { schedulingPolicy: { queue: 'research', priorityClass: 'high' } });
    expect(GANG.groups.desired(job, SIZE).spec).toEqual(SIZE);
  });

  it('changes only its own fields', () => {
    const group = GANG.groups.desired(trainingJob([WORKER]), SIZE);
    const existing = { ...group, spec: { minMember: 4, minResources: { cpu: '2.0' }, scheduleTimeoutSeconds: 9 } };
    expect(GANG.groups.change(existing, group)).toEqual({ spec: { minMember: 2, scheduleTimeoutSeconds: null } });
    expect(GANG.groups.change(group, group)).toBeUndefined();
  });

  it("sets the group's label and the schedulerName in the pod", () => {
    const pod = { metadata: { name: 'p', labels: { mine: 'yes' } }, spec: podSpec() };
    expect(GANG.decorate(pod, trainingJob([WORKER]), { role: WORKER, index: 0 }, NO_RULES)).toEqual({
      metadata: { name: 'p', labels: { mine: 'yes', 'scheduling.x-k8s.io/pod-group': 'mnist' } },
      spec: { ...podSpec(), schedulerName: 'my-scheduler' },
    });
  });

  it("keeps the user's scheduler and group", () => {
    const pod = {
      metadata: { labels: { 'scheduling.x-k8s.io/pod-group': 'both-jobs' } },
      spec: podSpec({}, { schedulerName: 'mine' }),
    };
    expect(GANG.decorate(pod, trainingJob([WORKER]), { role: WORKER, index: 0 }, NO_RULES)).toEqual(pod);
  });

  it('allows pods at any time, also before its group exists', () => {
    expect(GANG.groups.waitsFor(undefined)).toBeUndefined();
  });
});
