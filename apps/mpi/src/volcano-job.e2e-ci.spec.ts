/**
 * A Volcano Job with the plugin mpi on a real node without Volcano: `mpirun` in the master reaches the workers with the plugins' names,
 * keys and hosts, and its success completes the Job.
 */
import { trainingFixture, TRAINING_TIMEOUT_MS, volcanoJobToComplete } from '@muster/testing';
import { expect, it } from 'vitest';

const fixture = await trainingFixture('mpi', 'mpi', ['--volcano-jobs']);

it(
  'a Volcano Job with the plugin mpi computes pi in two workers and is completed',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const { status } = await volcanoJobToComplete(fixture, 'mpi');
    expect(status).toMatchObject({ succeeded: 1, retryCount: 0 });
    const log = await fixture.logOf('pi-master-0');
    const [, pi, ranks, hosts = ''] = /^pi ([\d.]+) ranks (\d+) hosts (\S+)$/m.exec(log) ?? [];
    expect(Number(pi), log).toBeCloseTo(Math.PI, 6);
    expect({ ranks, hosts: hosts.split(',').toSorted() }).toEqual({
      ranks: '4',
      hosts: ['pi-worker-0', 'pi-worker-1'],
    });
  },
);
