/** Real MPI training: pods that a kubelet runs, and `mpirun` between them, over ssh and over `kubectl exec`. */
import { TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, it } from 'vitest';
import { mpiFixture } from '../test-support/mpi-fixture.ts';

const fixture = await mpiFixture();

describe('MPI training on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains a v2beta1 job over ssh when the workers are ready, and stops them at the end', () =>
    fixture.train('train-v2beta1'));

  it('trains a v1 job over kubectl exec, without sshd', () => fixture.train('train-v1'));
});
