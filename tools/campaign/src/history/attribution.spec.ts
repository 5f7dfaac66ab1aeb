import { describe, expect, it } from 'vitest';
import { workers, WrittenHistory } from '../../test-support/written-history.ts';
import { attributed } from './attribution.ts';

const VIOLATION = { invariant: 'any', about: 'PyTorchJob team/mnist', uid: 'job', message: 'is wrong' };
const PATH = '/api/v1/namespaces/team/pods';
const PREVIOUS = 'previous (0123abcd)';

/** The previous version creates a pod, and the current one changes the job. */
function upgraded(): WrittenHistory {
  const history = new WrittenHistory().job(workers(1)).pod('worker-0', 'Pending');
  history.sent('pytorch/a', 'POST', PATH, { uid: 'worker-0', revision: 2, operatorVersion: PREVIOUS });
  history.status({ conditions: [] });
  return history.sent('pytorch/b', 'PATCH', PATH, { uid: 'job', revision: 3, operatorVersion: 'current' });
}

describe('attributed', () => {
  it('names the operator that wrote the violating change', () => {
    const { writes, changes } = upgraded();
    const violations = [2, 3].map((revision) => ({ ...VIOLATION, revision }));
    expect(attributed({ writes, changes }, violations).map(({ writtenBy }) => writtenBy)).toEqual([
      [`pytorch/a, ${PREVIOUS}`],
      ['pytorch/b, current'],
    ]);
  });

  it("names all operators that wrote the job's objects if the change is not known", () => {
    expect(attributed(upgraded(), [VIOLATION])).toEqual([
      { ...VIOLATION, writtenBy: [`pytorch/a, ${PREVIOUS}`, 'pytorch/b, current'] },
    ]);
  });

  it('changes nothing if all operators had the current version', () => {
    const history = new WrittenHistory().job(workers(1)).sent('pytorch/a', 'PATCH', PATH, { uid: 'job', revision: 1 });
    expect(attributed(history, [VIOLATION])).toEqual([VIOLATION]);
  });
});
