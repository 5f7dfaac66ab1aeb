/**
 * A Volcano Job with the plugin mpi on a real node, where no Volcano is: `mpirun` in the master reaches its workers by the names, keys
 * and hosts that the plugins give, and ends the Job.
 */
import { trainingStage, TRAINING_TIMEOUT_MS, volcanoJobToComplete } from '@muster/testing';
import { expect, it } from 'vitest';

const stage = await trainingStage('mpi', 'mpi', ['--volcano-jobs']);

it('calculates pi in two workers, and is completed', { timeout: TRAINING_TIMEOUT_MS }, async () => {
  const { status } = await volcanoJobToComplete(stage, 'mpi');
  expect(status).toMatchObject({ succeeded: 1, retryCount: 0 });
  const log = await stage.logOf('pi-master-0');
  const [, pi, ranks, hosts = ''] = /^pi ([\d.]+) ranks (\d+) hosts (\S+)$/m.exec(log) ?? [];
  expect(Number(pi), log).toBeCloseTo(Math.PI, 6);
  expect({ ranks, hosts: hosts.split(',').toSorted() }).toEqual({ ranks: '4', hosts: ['pi-worker-0', 'pi-worker-1'] });
});
