import type { ConditionType, JobStatus, Pod, TimeAccount } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { accountOf } from './account-of.ts';
import type { TimedReplica } from './timed-replica.ts';

const role = { containerName: 'main' };
const placed: Pod = { spec: { nodeName: 'n', containers: [] } };
const crashed: Pod = {
  ...placed,
  status: {
    containerStatuses: [
      {
        ...{ name: 'main', image: 'i', imageID: '', ready: false, restartCount: 1 },
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  },
};

const running: TimedReplica = { state: 'running', pod: placed, role };
const succeeded: TimedReplica = { ...running, state: 'succeeded' };
const failed: TimedReplica = { ...running, state: 'failed' };
const terminating: TimedReplica = { ...running, state: 'terminating' };
const starting: TimedReplica = { ...running, state: 'pending' };
const crashing: TimedReplica = { ...starting, pod: crashed };
const unplaced: TimedReplica = { ...starting, pod: { spec: { containers: [] } } };
const missing: TimedReplica = { state: 'missing', role };

const condition = (type: ConditionType, reason: string = type): JobStatus => ({
  conditions: [{ type, status: 'True', reason, message: '' }],
});
const hasRunOnce: JobStatus = { ...condition('Running'), allRunningTime: '2026-01-01T00:00:00Z' };
const elastic = (granted: number, wanted: number): JobStatus => ({
  ...hasRunOnce,
  elastic: { minReplicas: 1, maxReplicas: 9, granted, wanted, reason: 'Unschedulable' },
});
const replaced: JobStatus = { ...hasRunOnce, restarts: [{ role: 'worker', replaced: true }] };
const inPlaceBefore: JobStatus = { ...hasRunOnce, restarts: [{ role: 'worker', containerRestarts: 1 }] };
const atStep = (step: number, rest: JobStatus = {}): JobStatus => ({ ...hasRunOnce, progress: { step }, ...rest });

describe('the account of the present', () => {
  it.each<[string, JobStatus, TimedReplica[], string | undefined]>([
    ['has succeeded', condition('Succeeded'), [succeeded], undefined],
    ['has failed', condition('Failed'), [failed], undefined],
    ['was suspended by a person', condition('Suspended'), [], 'Suspended'],
    ['waits in a queue', condition('Suspended', 'Queued'), [], 'Queued'],
    ['was evicted from a queue', condition('Suspended', 'Evicted'), [], 'Queued'],
    ['has no pods yet', {}, [missing, missing], 'Unscheduled'],
    ['has a pod without a node', {}, [running, unplaced], 'Unscheduled'],
    ['waits for its gang', condition('Waiting', 'SchedulingGated'), [unplaced], 'Queued'],
    ['exceeds a quota', condition('ReplicaFailure', 'FailedCreate'), [missing], 'Queued'],
    ['has not started on all nodes', {}, [running, starting], 'Starting'],
    ['crashes before all have run', {}, [running, crashing], 'Starting'],
    ['runs', hasRunOnce, [running, running], 'Running'],
    ['has the condition Restarting', { ...hasRunOnce, ...condition('Restarting') }, [running], 'Restarting'],
    ['has failed before all ran', { ...condition('Restarting'), restartCount: 1 }, [missing], 'Restarting'],
    ['is resized before its first run', condition('Restarting'), [missing], 'Unscheduled'],
    ['has a failed replica', hasRunOnce, [running, failed], 'Restarting'],
    ['loses a pod', hasRunOnce, [running, terminating], 'Restarting'],
    ['has a replica that crashes again', hasRunOnce, [running, crashing], 'Restarting'],
    ['has a new pod for a failed one', replaced, [running, starting], 'Restarting'],
    ['was scaled up', hasRunOnce, [running, missing], 'Degraded'],
    ['was scaled up, and starts the new pod', hasRunOnce, [running, starting], 'Degraded'],
    ['was scaled up after a restart in place', inPlaceBefore, [running, unplaced], 'Degraded'],
    ['is elastic and was made smaller after a failure', elastic(1, 2), [running, failed], 'Degraded'],
    ['is elastic and replaces a pod', elastic(2, 2), [running, failed], 'Restarting'],
    ['is elastic and runs with fewer', elastic(1, 2), [running], 'Degraded'],
    ['is elastic and complete', elastic(2, 2), [running, running], 'Running'],
    ['makes no progress', { ...hasRunOnce, progress: { message: 'no step for 60 s' } }, [running], 'Stalled'],
    ['repeats steps after a failure', atStep(4, { restartCount: 1 }), [running], 'Recomputing'],
    ['repeats steps after a disruption', atStep(4, { disruptionCount: 1 }), [running], 'Recomputing'],
    ['has passed its furthest step', atStep(10, { restartCount: 1 }), [running], 'Running'],
    ['starts its steps again without a failure', atStep(4), [running], 'Running'],
    ['has a replica that is done', hasRunOnce, [running, succeeded], 'Finishing'],
  ])('of a job that %s', (_what, status, replicas, account) => {
    expect(accountOf(status, replicas, { furthestStep: 10 })).toBe(account);
  });

  it.each<[string, TimedReplica[], TimeAccount, string]>([
    ['starts again after its suspension', [missing], 'Suspended', 'Unscheduled'],
    ['is admitted again', [starting], 'Queued', 'Starting'],
    ['still starts', [running, starting], 'Starting', 'Starting'],
    ['was scaled up while it ran', [running, starting], 'Running', 'Degraded'],
    ['runs again before all of its replicas do', [running, starting], 'Restarting', 'Restarting'],
  ])('of a job that ran once and %s', (_what, replicas, account, expected) => {
    expect(accountOf(hasRunOnce, replicas, { account })).toBe(expected);
  });
});
