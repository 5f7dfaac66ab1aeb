import { ANNOTATIONS, LABELS, type KubeObject, type PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { ReplicaState } from '../model/replica-pod.ts';
import { jobGang, namedGang } from './gang-of.ts';
import type { GroupingScheduler } from '../contract/gang-scheduler.ts';
import { gangSchedulerNamed } from './gang-scheduler-named.ts';
import { KUBERNETES } from './kubernetes.ts';
import { VOLCANO } from './volcano.ts';
import { YUNIKORN } from './yunikorn.ts';

const MINE = gangSchedulerNamed('mine');
const OTHERS = [VOLCANO, ...(MINE === undefined ? [] : [MINE])];
const KNOWN = { gang: KUBERNETES, gangs: OTHERS };

function jobOf(annotation: string | undefined, ...schedulers: readonly string[]) {
  const spec = (schedulerName: string): PodSpec => podSpec({}, schedulerName === '' ? {} : { schedulerName });
  const roles = (schedulers.length === 0 ? [''] : schedulers).map((name, at) => role(`Role${at}`, 1, spec(name)));
  return trainingJob(
    roles,
    annotation === undefined ? {} : { annotations: { [ANNOTATIONS.gangScheduler]: annotation } },
  );
}

describe('namedGang', () => {
  it.each([
    { name: "the operator's", job: jobOf(undefined), gang: KUBERNETES },
    { name: "the annotation's gang scheduler", job: jobOf('volcano'), gang: VOLCANO },
    { name: "the annotation's rather than the template's gang scheduler", job: jobOf('mine', 'volcano'), gang: MINE },
    { name: "the operator's gang scheduler by its name", job: jobOf('kubernetes', 'volcano'), gang: KUBERNETES },
    { name: 'none', job: jobOf('none', 'volcano'), gang: undefined },
    { name: 'unknown for an unknown name', job: jobOf('yours'), gang: 'unknown' },
    {
      name: 'the gang scheduler that all roles name in schedulerName',
      job: jobOf(undefined, 'mine', 'mine'),
      gang: MINE,
    },
    { name: "the operator's if roles name several", job: jobOf(undefined, 'mine', 'volcano'), gang: KUBERNETES },
    { name: "the operator's if a role names none", job: jobOf(undefined, 'mine', ''), gang: KUBERNETES },
    {
      name: "the operator's if the roles' scheduler is no gang scheduler",
      job: jobOf(undefined, 'default-scheduler'),
      gang: KUBERNETES,
    },
  ])('is $name', ({ job, gang }) => expect(namedGang(job, KNOWN)).toBe(gang));

  it("is the operator's, as with Kubeflow's operator, if no others are configured", () => {
    for (const job of [jobOf('volcano'), jobOf('none'), jobOf(undefined, 'mine')])
      expect(namedGang(job, { gang: VOLCANO })).toBe(VOLCANO);
  });

  it('is undefined for a job without roles', () => {
    expect(namedGang(trainingJob([]), KNOWN)).toBeUndefined();
  });
});

describe('jobGang', () => {
  const WORKER = role('Worker', 1);
  const group = (gang: GroupingScheduler<KubeObject>) => {
    const job = jobOf(undefined);
    const object = gang.groups.desired(job, { minMember: 1, minResources: undefined });
    return { kind: { resource: gang.groups.resource, endsWithRun: true, trim: (same: typeof object) => same }, object };
  };
  const inState = (state: ReplicaState) => [{ role: WORKER, index: 0, state }];
  const none = { ownedResources: [] };

  it('keeps the gang scheduler of its group while there are pods', () => {
    const job = jobOf('mine');
    const began = { ownedResources: [group(VOLCANO)] };
    expect(jobGang(job, KNOWN, began, inState('running'))).toEqual({ gang: VOLCANO });
    expect(jobGang(job, KNOWN, began, inState('missing'))).toEqual({ gang: MINE });
  });

  it('keeps the gang scheduler of its group while there are pods, also if the annotation names an unknown one', () => {
    const began = { ownedResources: [group(VOLCANO)] };
    expect(jobGang(jobOf('yours'), KNOWN, began, inState('running'))).toEqual({ gang: VOLCANO });
    expect(jobGang(jobOf('yours'), KNOWN, began, inState('missing')).gang).toBeUndefined();
  });

  it('keeps the gang scheduler of its pods if that has no group objects', () => {
    const settings = { gangs: [YUNIKORN, VOLCANO] };
    const labels = { [LABELS.gangScheduler]: 'yunikorn' };
    const pods = inState('running').map((each) => ({ ...each, pod: { metadata: { labels } } }));
    expect(jobGang(jobOf('volcano'), settings, none, pods)).toEqual({ gang: YUNIKORN });
    expect(jobGang(jobOf('yunikorn'), settings, { ownedResources: [group(VOLCANO)] }, inState('running'))).toEqual({
      gang: VOLCANO,
    });
    expect(jobGang(jobOf('yunikorn'), settings, none, inState('missing'))).toEqual({ gang: YUNIKORN });
  });

  it('reports a kind that the cluster does not serve', () => {
    const absent = { ...none, absentKinds: [VOLCANO.groups.resource] };
    const { gang, gangShortage } = jobGang(jobOf('volcano'), KNOWN, absent, inState('missing'));
    expect(gang).toBe(VOLCANO);
    expect(gangShortage).toMatch(
      /^The cluster does not serve podgroups.scheduling.volcano.sh, .* install volcano, or select another gang scheduler/,
    );
    expect(jobGang(jobOf('kubernetes'), KNOWN, absent, inState('missing'))).toEqual({ gang: KUBERNETES });
  });

  it('reports a gang scheduler that the operator does not support', () => {
    const { gang, gangShortage } = jobGang(jobOf('yours'), { gangs: [VOLCANO] }, none, inState('missing'));
    expect(gang).toBeUndefined();
    expect(gangShortage).toBe(
      'metadata.annotations[muster.dev/gang-scheduler]: unknown gang scheduler yours. This operator supports: volcano. ' +
        'Select one of these, or start the operator with --gang-schedulers',
    );
    expect(jobGang(jobOf('yours'), { gangs: [] }, none, []).gangShortage).toContain(
      'This operator supports none: start it',
    );
  });
});
