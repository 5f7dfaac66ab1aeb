import { PODS, SERVICES } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { doneNote } from './done-note.ts';

const workers = (count: number) => Array.from({ length: count }, (_pod, index) => `mnist-worker-${index}`);

describe('doneNote', () => {
  it.each([
    ['one pod', doneNote('Create', PODS, ['mnist-worker-0']), 'Created pod: mnist-worker-0'],
    ['one Service', doneNote('Delete', SERVICES, ['mnist']), 'Deleted service: mnist'],
    ['several', doneNote('Adopt', PODS, workers(2)), 'Adopted 2 pods: mnist-worker-0, mnist-worker-1'],
    [
      'several, by number, whatever their order',
      doneNote('Create', PODS, ['a-worker-10', 'a-worker-2', 'a-master-0']),
      'Created 3 pods: a-master-0, a-worker-2, a-worker-10',
    ],
    ['all names of ten', doneNote('Create', PODS, workers(10)), `Created 10 pods: ${workers(10).join(', ')}`],
    [
      'the first ten of more',
      doneNote('Create', PODS, workers(12)),
      `Created 12 pods: ${workers(10).join(', ')} and 2 more`,
    ],
  ])('names %s', (_what, note, says) => {
    expect(note).toBe(says);
  });

  it('is one that an event has room for, however many there are and however long their names', () => {
    const names = Array.from({ length: 100_000 }, (_pod, index) => `${index}`.padStart(63, 'x'));
    expect(Buffer.byteLength(doneNote('Create', PODS, names))).toBeLessThan(1024);
  });
});
