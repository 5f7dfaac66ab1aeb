import type { Plan } from '@muster/common-job-controller';
import { PODS, type Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { notePods, seenSteps, timedSteps } from './compared-times.ts';

const NOW = Date.parse('2026-01-01T00:00:00.400Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString().replace(/\.\d+/, '');
const condition = (type: string, seconds: number, status = 'True') => ({
  type,
  status,
  lastTransitionTime: at(seconds),
});
const statusWith = (...conditions: readonly object[]) => ({ conditions });
const pod = (seconds: number, uid = 'job'): Pod => ({
  metadata: {
    creationTimestamp: at(seconds),
    ownerReferences: [{ apiVersion: 'v1', kind: 'PlainJob', name: 'job', uid, controller: true }],
  },
});
const creating = { writes: [{ op: 'create', resource: PODS, object: {} }] } as unknown as Plan;
const resting = { writes: [] } as unknown as Plan;

describe('times of two operators', () => {
  it('has how much later each condition became True', () => {
    const seen = seenSteps({});
    const theirs = statusWith(condition('Created', 0), condition('Running', 7), condition('Succeeded', 20));
    const ours = statusWith(condition('Created', 0), condition('Running', 3), condition('Succeeded', 22));
    expect(timedSteps(seen, theirs, ours)).toEqual([
      { step: 'Running', laterSeconds: 4 },
      { step: 'Succeeded', laterSeconds: -2 },
    ]);
  });

  it('leaves out Created, and conditions that only one of them has, that are not True, have no time, or were there at first sight', () => {
    const seen = seenSteps(statusWith(condition('Queued', -60), condition('Suspended', -60, 'False')));
    const theirs = statusWith(
      ...[
        condition('Created', 0),
        condition('Queued', -60),
        condition('Running', 5, 'False'),
        condition('Suspended', 9),
      ],
      ...[condition('Restarting', 8), { type: 'Failed', status: 'True' }],
    );
    const ours = statusWith(
      ...[condition('Created', 0), condition('Queued', 0), condition('Running', 5), condition('Suspended', 7)],
      condition('Failed', 8),
    );
    expect(timedSteps(seen, theirs, ours)).toEqual([{ step: 'Suspended', laterSeconds: 2 }]);
    expect(timedSteps(seen, theirs, undefined)).toEqual([]);
  });

  it('has the time of the first pod, from the first plan that creates one', () => {
    const seen = seenSteps({});
    const noted = (nowSeconds: number, pods: readonly Pod[], plan: Plan) =>
      notePods(seen, { uid: 'job', pods, nowMs: NOW + nowSeconds * 1000 }, plan);
    noted(0, [], resting);
    noted(2, [], creating);
    noted(4, [pod(1, 'other')], creating);
    expect(timedSteps(seen, {}, {})).toEqual([]);
    noted(6, [pod(5), pod(6)], creating);
    noted(60, [pod(59)], creating);
    expect(timedSteps(seen, {}, {})).toEqual([{ step: 'create Pod', laterSeconds: 3 }]);
  });

  it('does not know when Muster would have created pods that were there at first sight', () => {
    const seen = seenSteps({});
    notePods(seen, { uid: 'job', pods: [pod(-9)], nowMs: NOW }, resting);
    notePods(seen, { uid: 'job', pods: [], nowMs: NOW + 5000 }, creating);
    expect(timedSteps(seen, {}, {})).toEqual([]);
  });
});
