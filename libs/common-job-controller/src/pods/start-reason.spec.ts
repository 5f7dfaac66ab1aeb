import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { startReason } from './start-reason.ts';

const condition = (status: 'True' | 'False', reason: string): Pod => ({
  status: { conditions: [{ type: 'PodScheduled', status, reason }] },
});

describe('startReason', () => {
  it.each<[string, Pod, ReturnType<typeof startReason>]>([
    ['is SchedulingGated for a gated pod', condition('False', 'SchedulingGated'), 'SchedulingGated'],
    ['is Unschedulable if no node has capacity', condition('False', 'Unschedulable'), 'Unschedulable'],
    ['is undefined for a scheduled pod with an old reason', condition('True', 'Unschedulable'), undefined],
    ['is undefined for another reason of the condition', condition('False', 'SchedulerError'), undefined],
    ['is undefined for a pod without a status', {}, undefined],
  ])('%s', (_what, pod, reason) => {
    expect(startReason(pod)).toBe(reason);
  });
});
