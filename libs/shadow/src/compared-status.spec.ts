import { describe, expect, it } from 'vitest';
import { comparedStatus } from './compared-status.ts';

const condition = (type: string, more: object = {}) => ({ type, status: 'True', reason: `Job${type}`, ...more });

describe('comparedStatus', () => {
  it('counts equal values, and takes empty ones for absent ones', () => {
    const theirs = { replicaStatuses: { Worker: { active: 2 } }, startTime: '2026-01-01T00:00:00Z' };
    const ours = { replicaStatuses: { Worker: { active: 2, failed: 0 }, PS: {} }, startTime: '2026-01-01T00:00:07Z' };
    expect(comparedStatus(theirs, ours)).toEqual({ same: 2, differences: [] });
  });

  it('names each differing value', () => {
    const theirs = { conditions: [condition('Running')], replicaStatuses: { Worker: { active: 2 } } };
    const ours = {
      conditions: [condition('Running', { reason: 'Other' })],
      replicaStatuses: { Worker: { active: 1 } },
    };
    expect(comparedStatus(theirs, ours).differences).toEqual([
      { field: 'status.conditions[Running].reason', theirs: 'JobRunning', ours: 'Other' },
      { field: 'status.replicaStatuses.Worker.active', theirs: '2', ours: '1' },
    ]);
  });

  it('ignores conditions that are not True, and their order', () => {
    const theirs = { conditions: [condition('Created'), condition('Running', { status: 'False' })] };
    expect(comparedStatus(theirs, { conditions: [condition('Created')] }).differences).toEqual([]);
  });

  it('compares messages, but does not show them', () => {
    const theirs = { conditions: [condition('Failed', { message: 'exit code 1' })] };
    const ours = { conditions: [condition('Failed', { message: 'exit code 1: password=1234' })] };
    expect(comparedStatus(theirs, ours).differences).toEqual([
      { field: 'status.conditions[Failed].message', theirs: '(a text)', ours: '(a text)' },
    ]);
  });

  it('compares whether there is a time', () => {
    expect(comparedStatus({}, { completionTime: '2026-01-01T00:00:00Z' }).differences).toEqual([
      { field: 'status.completionTime', theirs: '', ours: 'set' },
    ]);
  });
});
