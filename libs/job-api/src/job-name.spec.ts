import { describe, expect, it } from 'vitest';
import { replicaName } from './job-name.ts';

describe('replicaName', () => {
  it('is the job, the role in lower case and the index', () => {
    expect(replicaName('mnist', 'Worker', 12)).toBe('mnist-worker-12');
  });
});
