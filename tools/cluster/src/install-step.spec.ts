import { describe, expect, it } from 'vitest';
import type { Cluster } from './cluster.ts';
import { ClusterError } from './cluster-error.ts';
import { installStep } from './install-step.ts';
import { InterruptedError } from './interrupt-signal.ts';
import { silentProgress } from './progress.ts';

const cluster = { name: 'mine' } as Cluster;

describe('installStep', () => {
  it('reports after an interruption that the cluster is up, and how to continue or take it down', async () => {
    const controller = new AbortController();
    const options = { cluster, progress: silentProgress, signal: controller.signal };
    const step = installStep(['mpi'], () => Promise.reject(new Error('helm was killed')), options);
    controller.abort(new InterruptedError('SIGINT'));
    const error: unknown = await step.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InterruptedError);
    expect(error).toMatchObject({
      exitCode: 130,
      message:
        'Interrupted by SIGINT; the cluster "mine" is up and stays up, with the operators installed before. Run the same command again to continue, or ' +
        'take the cluster down with "muster cluster down --name mine".',
    });
  });

  it('passes on any other failure', async () => {
    const options = { cluster, progress: silentProgress, signal: new AbortController().signal };
    const failure = new ClusterError('no such chart');
    await expect(installStep(['mpi'], () => Promise.reject(failure), options)).rejects.toBe(failure);
  });
});
