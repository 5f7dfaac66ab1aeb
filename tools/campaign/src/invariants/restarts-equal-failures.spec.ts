import { describe, expect, it } from 'vitest';
import { workers, WrittenHistory } from '../../test-support/written-history.ts';
import { restartsEqualFailures } from './restarts-equal-failures.ts';

const failed = (options = {}) =>
  new WrittenHistory()
    .job(workers(1))
    .pod('worker-0', 'Running')
    .pod('worker-0', 'Failed', options)
    .status({ restartCount: 0 })
    .sent('pytorch/a', 'DELETE', '/api/v1/namespaces/team/pods/mnist-worker-0', { uid: 'worker-0' })
    .deletePod('worker-0')
    .pod('worker-0', 'Running', { uid: 'second' });

describe('restarts-equal-failures', () => {
  it('holds if the replaced failed pod is counted, and if a disruption is not', () => {
    const disrupted = { conditions: [{ type: 'DisruptionTarget', status: 'True' as const }] };
    const histories = [failed().status({ restartCount: 1 }), failed(disrupted).status({ restartCount: 0 })];
    expect(histories.flatMap((each) => each.violations(restartsEqualFailures))).toEqual([]);
  });

  it('holds for the restart of a failed pod that a simulated kubelet then ends well', () => {
    const history = new WrittenHistory().job(workers(1)).pod('worker-0', 'Failed').pod('worker-0', 'Succeeded');
    expect(history.status({ restartCount: 1 }).violations(restartsEqualFailures)).toEqual([]);
  });

  it.each([
    ['a restart without a failure', failed().status({ restartCount: 2 })],
    ['a replaced failed pod that is not counted', failed().status({ restartCount: 0 })],
    ['the same in a job that has succeeded', failed().job(workers(1), { type: 'Succeeded' })],
    ['a count that falls', failed().status({ restartCount: 1 }).status({ restartCount: 0 })],
  ])('is violated by %s', (_what, history) => {
    expect(history.violations(restartsEqualFailures)).toHaveLength(1);
  });
});
