import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { startReason } from './start-reason.ts';

const condition = (status: 'True' | 'False', reason: string): Pod => ({
  status: { conditions: [{ type: 'PodScheduled', status, reason }] },
});

describe('startReason', () => {
  it.each<[string, Pod, ReturnType<typeof startReason>]>([
    ['is its gate', condition('False', 'SchedulingGated'), 'SchedulingGated'],
    ['is that no node has room', condition('False', 'Unschedulable'), 'Unschedulable'],
    ['is none where it has been placed, whatever reason is left', condition('True', 'Unschedulable'), undefined],
    ['is none where its condition names another', condition('False', 'SchedulerError'), undefined],
    ['is none of a pod without a status', {}, undefined],
  ])('%s', (_what, pod, reason) => {
    expect(startReason(pod)).toBe(reason);
  });
});
