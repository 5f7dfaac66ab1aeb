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
    { name: 'that of the annotation', job: jobOf('volcano'), gang: VOLCANO },
    { name: 'that of the annotation before the scheduler', job: jobOf('mine', 'volcano'), gang: MINE },
    { name: "the operator's by its name", job: jobOf('kubernetes', 'volcano'), gang: KUBERNETES },
    { name: 'none', job: jobOf('none', 'volcano'), gang: undefined },
    { name: 'nobody knows', job: jobOf('yours'), gang: 'unknown' },
    { name: 'that of the scheduler of all roles', job: jobOf(undefined, 'mine', 'mine'), gang: MINE },
    { name: "the operator's where roles have several", job: jobOf(undefined, 'mine', 'volcano'), gang: KUBERNETES },
    { name: "the operator's where a role has none", job: jobOf(undefined, 'mine', ''), gang: KUBERNETES },
    {
      name: "the operator's beside a scheduler that is none",
      job: jobOf(undefined, 'default-scheduler'),
      gang: KUBERNETES,
    },
  ])('is $name', ({ job, gang }) => expect(namedGang(job, KNOWN)).toBe(gang));

  it("is the operator's, as under Kubeflow's, where no others can be named", () => {
    for (const job of [jobOf('volcano'), jobOf('none'), jobOf(undefined, 'mine')])
      expect(namedGang(job, { gang: VOLCANO })).toBe(VOLCANO);
  });

  it('is none of a job without pods', () => {
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

  it('keeps that of its group as long as there are pods', () => {
    const job = jobOf('mine');
    const began = { ownedResources: [group(VOLCANO)] };
    expect(jobGang(job, KNOWN, began, inState('running'))).toEqual({ gang: VOLCANO });
    expect(jobGang(job, KNOWN, began, inState('missing'))).toEqual({ gang: MINE });
  });

  it('keeps that of its pods, where the scheduler has no groups of objects', () => {
    const settings = { gangs: [YUNIKORN, VOLCANO] };
    const labels = { [LABELS.gangScheduler]: 'yunikorn' };
    const pods = inState('running').map((each) => ({ ...each, pod: { metadata: { labels } } }));
    expect(jobGang(jobOf('volcano'), settings, none, pods)).toEqual({ gang: YUNIKORN });
    expect(jobGang(jobOf('yunikorn'), settings, { ownedResources: [group(VOLCANO)] }, inState('running'))).toEqual({
      gang: VOLCANO,
    });
    expect(jobGang(jobOf('yunikorn'), settings, none, inState('missing'))).toEqual({ gang: YUNIKORN });
  });

  it('says what the cluster lacks', () => {
    const absent = { ...none, absentKinds: [VOLCANO.groups.resource] };
    const { gang, gangLack } = jobGang(jobOf('volcano'), KNOWN, absent, inState('missing'));
    expect(gang).toBe(VOLCANO);
    expect(gangLack).toMatch(/^podgroups.scheduling.volcano.sh, .* install volcano, or name another gang scheduler/);
    expect(jobGang(jobOf('kubernetes'), KNOWN, absent, inState('missing'))).toEqual({ gang: KUBERNETES });
  });

  it('says what the operator lacks', () => {
    const { gang, gangLack } = jobGang(jobOf('yours'), { gangs: [VOLCANO] }, none, inState('missing'));
    expect(gang).toBeUndefined();
    expect(gangLack).toBe(
      'metadata.annotations[muster.dev/gang-scheduler]: this operator does not know the gang scheduler yours; it knows volcano. ' +
        'Name one of these, or start the operator with --gang-schedulers',
    );
    expect(jobGang(jobOf('yours'), { gangs: [] }, none, []).gangLack).toContain('it knows none');
  });
});
