import { ANNOTATIONS, LABELS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import type { Planned } from '../../test-support/planned.ts';
import { isRestartingInPlace, RESTARTER } from './in-place.ts';

const runPolicy: NonNullable<PlainWorld['runPolicy']> = {
  failurePolicy: { rules: [{ action: 'RestartJob', inPlace: true }] },
};
const job: PlainWorld = {
  roles: [
    { name: 'Master', replicas: 1 },
    { name: 'Worker', replicas: 2 },
  ],
  runPolicy,
};
const master: PlainPod = { role: 'master', restarter: true };
const running: PlainPod[] = [master, { restarter: true }, { index: 1, restarter: true }];
const failed: PlainPod = { index: 1, restarter: true, exit: 137, ended: -5 };
const failing: PlainPod[] = [master, { restarter: true }, failed];

const note = (secondsAgo: number, restarts = 0) => `1/${restarts}/${NOW / 1000 - secondsAgo}`;
const restartRequested = (secondsAgo: number): PlainPod => ({ attempt: 1, restarter: note(secondsAgo) });
const restarting: PlainPod[] = [
  { ...master, ...restartRequested(5) },
  { index: 0, ...restartRequested(5) },
  { ...failed, ...restartRequested(5) },
];
const back = restarting.map((pod): PlainPod => {
  const { exit: _exit, ended: _ended, ...rest } = pod;
  return { ...rest, restarts: 1, exitBefore: 137 };
});

const annotated = ({ annotate }: Planned) =>
  annotate.map(({ object, annotations, labels }) => [
    object.metadata?.name,
    annotations[ANNOTATIONS.inPlace],
    labels?.[LABELS.attempt],
  ]);
const ofFailure = statusAfter({ ...job, pods: running }, { ...job, pods: failing });

describe('a restart in place', () => {
  it('adds the restarter container to each pod only if a rule requests it', () => {
    const containers = (world: PlainWorld) =>
      planOf(world).create.pods.map(({ spec }) => spec?.containers.map(({ name }) => name).includes(RESTARTER));
    expect(containers(job)).toEqual([true, true, true]);
    expect(containers({ ...job, runPolicy: { failurePolicy: { rules: [{ action: 'RestartJob' }] } } })).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('annotates all pods, deletes none, and counts one restart', () => {
    const plan = planOf({ ...job, status: statusAfter({ ...job, pods: running }), pods: failing });
    expect(plan.status).toMatchObject({ state: 'Restarting', attempt: 1, restartCount: 1, ready: '0/3' });
    expect([plan.remove.pods, plan.create.pods]).toEqual([[], []]);
    expect(annotated(plan)).toEqual(
      ['job-master-0', 'job-worker-0', 'job-worker-1'].map((name) => [name, note(0), '1']),
    );
    expect(plan.status?.conditions?.find(({ type }) => type === 'Restarting')?.message).toContain(
      '(attempt 1, 3 of them in place)',
    );
  });

  it('waits for the kubelets, ignores failures of the old programs, and is Running when all pods are restarted', () => {
    const waiting = planOf({ ...job, status: ofFailure, pods: restarting });
    expect([waiting.remove.pods, waiting.create.pods, waiting.annotate]).toEqual([[], [], []]);
    expect(waiting.requeueAfterMs).toBe(55_000);
    const after = { ...job, status: statusAfter({ ...job, status: ofFailure, pods: restarting }) };
    expect(planOf({ ...after, pods: [...restarting.slice(0, 2), back[2]!] }).status?.state ?? 'Restarting').toBe(
      'Restarting',
    );
    const done = planOf({ ...after, pods: back });
    expect(done.status).toMatchObject({ state: 'Running', attempt: 1, restartCount: 1, ready: '3/3' });
    expect([done.remove.pods, done.create.pods, done.annotate]).toEqual([[], [], []]);
  });

  it('does not count a failed program again before its kubelet has restarted it, for a rule with a reason', () => {
    const byReason: PlainWorld = {
      ...job,
      runPolicy: { failurePolicy: { rules: [{ action: 'RestartJob', inPlace: true, onReasons: ['Program'] }] } },
    };
    const first = statusAfter({ ...byReason, pods: running }, { ...byReason, pods: failing });
    expect(first).toMatchObject({ restartCount: 1, attempt: 1 });
    const waiting = planOf({ ...byReason, status: first, pods: restarting });
    expect([waiting.remove.pods, waiting.annotate, waiting.counters]).toEqual([[], [], []]);
    expect(waiting.status?.restartCount ?? 1).toBe(1);
  });

  it.each<[string, PlainPod]>([
    ['is not restarted in time', { ...failed, ...restartRequested(61) }],
    ['seems to be requested later, because the clock was set back', { ...failed, ...restartRequested(-3600) }],
    ['has ended in the meantime', { ...failed, ...restartRequested(5), phase: 'Failed' }],
  ])('recreates a pod that %s, without counting it again', (_case, pod) => {
    const plan = planOf({ ...job, status: ofFailure, pods: [...back.slice(0, 2), pod] });
    expect([namesOf(plan.remove.pods), plan.annotate]).toEqual([['job-worker-1'], []]);
    expect(plan.status?.restartCount ?? 1).toBe(1);
    expect(plan.events.map(({ reason, note }) => `${reason}: ${note}`)).toContain(
      'NotRestartedInPlace: The kubelet of its node did not restart pod job-worker-1 in place, so the pod is recreated.',
    );
    const gone = planOf({ ...job, status: plan.status ?? ofFailure, pods: back.slice(0, 2) });
    expect(gone.create.pods.map(({ metadata }) => [metadata?.name, metadata?.labels?.[LABELS.attempt]])).toEqual([
      ['job-worker-1', '1'],
    ]);
  });

  it('waits for the kubelet if the clock of the former leader was a little ahead', () => {
    const pods = [...back.slice(0, 2), { ...failed, ...restartRequested(-5) }];
    const plan = planOf({ ...job, status: ofFailure, pods });
    expect([plan.remove.pods, plan.requeueAfterMs]).toEqual([[], 60_000]);
  });

  it.each<[string, PlainPod]>([
    ['on a kubelet without the feature', { ...failed, restartable: false }],
    ['created before the rule was set', { index: 1, exit: 137, ended: -5, phase: 'Failed' }],
    ['whose phase is Failed', { ...failed, phase: 'Failed' }],
  ])('recreates a pod %s, and restarts the other pods in place', (_case, pod) => {
    const plan = planOf({
      ...job,
      status: statusAfter({ ...job, pods: running }),
      pods: [...running.slice(0, 2), pod],
    });
    expect(namesOf(plan.remove.pods)).toEqual(['job-worker-1']);
    expect(annotated(plan).map(([name]) => name)).toEqual(['job-master-0', 'job-worker-0']);
    expect(plan.status).toMatchObject({ attempt: 1, restartCount: 1 });
  });

  it.each<[note: string, restarts: number, isRestarting: boolean]>([
    ['1/0/1893499200', 0, true],
    ['1/0/1893499200', 1, false],
    ['12/34/1893499200', 34, true],
    ['12/34/1893499200', 35, false],
    ['x1/0/1893499200', 0, false],
    ['1/0/1893499200x', 0, false],
    ['ended', 0, false],
  ])('reads the annotation %j on a pod that was restarted %d times', (text, restarts, isRestarting) => {
    expect(isRestartingInPlace(plainPod({ restarter: text, restarts }), 'main')).toBe(isRestarting);
  });

  it('recreates all pods if the next attempt is delayed', () => {
    const again = back.map((pod, at): PlainPod => (at === 2 ? { ...pod, exit: 137, ended: -1 } : pod));
    const status = statusAfter({ ...job, status: ofFailure, pods: back });
    const plan = planOf({ ...job, status, pods: again });
    expect(plan.status).toMatchObject({ attempt: 2, restartCount: 2 });
    expect([plan.annotate, plan.requeueAfterMs]).toEqual([[], 10_000]);
    expect(namesOf(plan.remove.pods).sort()).toEqual(['job-master-0', 'job-worker-0', 'job-worker-1']);
  });

  it("fails the job at its backoffLimit, and ends the restarter of the failed program's pod", () => {
    const limited = { ...job, runPolicy: { ...runPolicy, backoffLimit: 0 } };
    const plan = planOf({ ...limited, status: statusAfter({ ...limited, pods: running }), pods: failing });
    expect(plan.status?.state).toBe('Failed');
    expect(annotated(plan)).toEqual([['job-worker-1', 'ended', undefined]]);
  });

  it.each([undefined, 'Running', 'None'] as const)('keeps the pods of a job that has ended, by policy %s', (policy) => {
    const done = running.map((pod): PlainPod => ({ ...pod, exit: 0, sidecarExit: 0 }));
    const clean = { ...job, runPolicy: { ...runPolicy, ...(policy && { cleanPodPolicy: policy }) } };
    const ended = statusAfter({ ...clean, pods: running }, { ...clean, pods: done });
    expect(ended.state).toBe('Succeeded');
    const plan = planOf({ ...clean, status: ended, pods: done });
    expect(plan.remove.pods).toEqual([]);
    expect(annotated(plan).map(([name, note]) => [name, note])).toEqual(
      ['job-master-0', 'job-worker-0', 'job-worker-1'].map((name) => [name, 'ended']),
    );
  });

  it('ends the restarter of a program that succeeded', () => {
    const done: PlainPod[] = [...running.slice(0, 2), { index: 1, restarter: true, exit: 0 }];
    const plan = planOf({ ...job, status: statusAfter({ ...job, pods: running }), pods: done });
    expect(annotated(plan)).toEqual([['job-worker-1', 'ended', undefined]]);
    const noted = planOf({ ...job, pods: [...done.slice(0, 2), { ...done[2]!, restarter: 'ended' }] });
    expect(noted.annotate).toEqual([]);
  });
});
