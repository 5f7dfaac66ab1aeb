import { describe, expect, it } from 'vitest';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import { KUBERNETES } from './kubernetes.ts';

const WORKER = role('Worker', 2);
const JOB = trainingJob([WORKER], { schedulingPolicy: { queue: 'research', priorityClass: 'high' } });
const group = (minMember: number) => KUBERNETES.groups.desired(JOB, { minMember, minResources: { cpu: '2' } });
const withStatus = (status: string, type = 'PodGroupScheduled') => ({
  ...group(2),
  status: {
    conditions: [
      { type: 'DisruptionTarget', status: 'True' },
      { type, status, reason: 'Unschedulable', message: 'no room for 2' },
    ],
  },
});

describe("Kubernetes' own gang scheduling", () => {
  it("creates a PodGroup with the job's name and the number of pods only", () => {
    expect(group(2)).toMatchObject({
      apiVersion: 'scheduling.k8s.io/v1beta1',
      kind: 'PodGroup',
      metadata: { name: 'mnist', namespace: 'team', ownerReferences: [{ kind: 'PyTorchJob', uid: 'uid-1' }] },
      spec: { schedulingPolicy: { gang: { minCount: 2 } } },
    });
    expect(group(2).spec).toEqual({ schedulingPolicy: { gang: { minCount: 2 } }, priorityClassName: 'high' });
  });

  it('sets topology constraints in the group only if the job requests them', () => {
    const annotations = { 'muster.dev/gang-topology': 'example.com/rack' };
    const size = { minMember: 2, minResources: undefined };
    expect(KUBERNETES.groups.desired(trainingJob([WORKER], { annotations }), size).spec).toEqual({
      schedulingPolicy: { gang: { minCount: 2 } },
      schedulingConstraints: { topology: [{ key: 'example.com/rack' }] },
    });
    const plain = KUBERNETES.groups.desired(trainingJob([WORKER]), size);
    expect(Object.keys(plain.spec ?? {})).toEqual(['schedulingPolicy']);
  });

  it('reports fields that the API server dropped', () => {
    const { priorityClassName: _dropped, ...spec } = group(2).spec ?? {};
    expect(KUBERNETES.groups.unmetRequest?.(group(2), JOB)).toBeUndefined();
    expect(KUBERNETES.groups.unmetRequest?.({ ...group(2), spec }, JOB)).toMatch(
      /^PodGroup mnist has no priorityClassName, .* enable the feature gates WorkloadAwarePreemption in .* If the group is older/,
    );
  });

  it('recreates a group instead of changing it', () => {
    expect(KUBERNETES.groups.change(group(2), group(2))).toBeUndefined();
    expect(KUBERNETES.groups.change(group(2), group(3))).toBe('Recreate');
  });

  it('sets the group in the pod, and does not set schedulerName', () => {
    const pod = { metadata: { name: 'p' }, spec: podSpec({}, { schedulerName: 'mine' }) };
    expect(KUBERNETES.decorate(pod, JOB, { role: WORKER, index: 0 }, NO_RULES)).toEqual({
      ...pod,
      spec: { ...pod.spec, schedulingGroup: { podGroupName: 'mnist' }, priorityClassName: 'high' },
    });
  });

  const withClass = (name: string, priorityClassName?: string) =>
    role(name, 1, podSpec({}, { ...(priorityClassName && { priorityClassName }) }));

  it.each([
    ['of the policy', 'high', [withClass('Master'), withClass('Worker')], 'high'],
    ['that all templates name', undefined, [withClass('Master', 'low'), withClass('Worker', 'low')], 'low'],
    ['undefined if no template names one', undefined, [withClass('Master'), withClass('Worker')], undefined],
    ['of the policy and the templates', 'low', [withClass('Master', 'low'), withClass('Worker')], 'low'],
  ])('gives the group and its pods the priority class %s', (_, priorityClass, roles, expected) => {
    const job = trainingJob(roles, { schedulingPolicy: { ...(priorityClass && { priorityClass }) } });
    const made = KUBERNETES.groups.desired(job, { minMember: 2, minResources: undefined });
    const [master = WORKER] = roles;
    const pod = KUBERNETES.decorate({ ...master.template }, job, { role: master, index: 0 }, NO_RULES);
    expect([made.spec?.priorityClassName, pod.spec?.priorityClassName]).toEqual([expected, expected]);
    expect(KUBERNETES.shortcoming?.(job, NO_RULES)).toBeUndefined();
  });

  it.each([
    ['of two templates', undefined, [withClass('Master', 'low'), withClass('Worker', 'high')]],
    ['of one template alone', undefined, [withClass('Master', 'low'), withClass('Worker')]],
    ['of the policy and of a template', 'high', [withClass('Master', 'low'), withClass('Worker')]],
    ['of the policy and of all templates', 'high', [withClass('Master', 'low'), withClass('Worker', 'low')]],
  ])('reports that no group is placed with different priority classes %s', (_, priorityClass, roles) => {
    const job = trainingJob(roles, { schedulingPolicy: { ...(priorityClass && { priorityClass }) } });
    expect(KUBERNETES.shortcoming?.(job, NO_RULES)).toMatch(
      /^Kubernetes 1\.37 places a pod group only if its priority/,
    );
  });

  it('gives a role that is created later, and its group, its own priority class', () => {
    const roles = [withClass('Worker', 'high'), withClass('Launcher')] as const;
    const [worker, launcher] = roles;
    const job = { ...trainingJob([worker, launcher]), rolesWithOwnGroup: new Set(['Launcher']) };
    const classes = roles.map((each) => {
      const made = KUBERNETES.groups.desired(job, { minMember: 1, minResources: undefined }, [each]);
      const pod = KUBERNETES.decorate({ ...each.template }, job, { role: each, index: 0 }, NO_RULES);
      return [made.spec?.priorityClassName, pod.spec?.priorityClassName];
    });
    expect(classes).toEqual([
      ['high', 'high'],
      [undefined, undefined],
    ]);
    expect(KUBERNETES.shortcoming?.(job, NO_RULES)).toBeUndefined();
  });

  it("keeps the user's group", () => {
    const spec = { ...podSpec(), schedulingGroup: { podGroupName: 'both-jobs' } };
    expect(KUBERNETES.decorate({ spec }, JOB, { role: WORKER, index: 0 }, NO_RULES)).toEqual({ spec });
  });

  it('creates no pods before the group exists', () => {
    expect(KUBERNETES.groups.waitsFor(undefined)).toBe('its PodGroup is being created');
    expect(KUBERNETES.groups.waitsFor(group(2))).toBeUndefined();
  });

  it('reads the condition PodGroupInitiallyScheduled of Kubernetes 1.37', () => {
    expect(KUBERNETES.groups.unschedulable(withStatus('False', 'PodGroupInitiallyScheduled'))).toBe(
      'Unschedulable: no room for 2',
    );
    expect(KUBERNETES.groups.speaksForPods(withStatus('True', 'PodGroupInitiallyScheduled'))).toBe(false);
  });

  it("reports the scheduler's message until the group was placed once", () => {
    expect(KUBERNETES.groups.unschedulable(group(2))).toBeUndefined();
    expect(KUBERNETES.groups.unschedulable(withStatus('False'))).toBe('Unschedulable: no room for 2');
    expect(KUBERNETES.groups.unschedulable(withStatus('True'))).toBeUndefined();
    expect([withStatus('False'), withStatus('True')].map((each) => KUBERNETES.groups.speaksForPods(each))).toEqual([
      true,
      false,
    ]);
  });
});
