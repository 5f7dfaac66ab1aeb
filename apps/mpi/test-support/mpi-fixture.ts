/** MPIJobs of `examples/mpi` on the real node of the end-to-end tests. */
import { LABELS, MPI_JOBS, PODS, type MPIJob } from '@muster/job-api';
import { trainingFixture, type TrainingFixture } from '@muster/testing';
import { expect } from 'vitest';

export class MpiFixture {
  readonly training: TrainingFixture;

  constructor(training: TrainingFixture) {
    this.training = training;
  }

  /** Creates the job through the API version that its manifest names. */
  async create(manifest: MPIJob & { metadata: { name: string } }): Promise<string> {
    const version = manifest.apiVersion?.split('/')[1] ?? '';
    await this.training.client.create({ ...MPI_JOBS, version }, manifest);
    return manifest.metadata.name;
  }

  async createExample(example: string): Promise<string> {
    return this.create(await this.training.example<MPIJob>(example));
  }

  /** The name of the launcher pod. The role of a v1 job's launcher is `master`. */
  async launcherOf(job: string): Promise<string> {
    const { client, namespace } = this.training;
    const { spec } = await client.get(MPI_JOBS, { namespace, name: job });
    const role = spec.apiGeneration === 'v1' ? 'master' : 'launcher';
    return (await this.training.podOf(job, { [LABELS.jobRole]: role })).metadata.name;
  }

  /** Expects that the launcher computed pi with four ranks on these hosts. */
  async expectPi(job: string, hosts: readonly string[]): Promise<void> {
    const { client, namespace } = this.training;
    const name = await this.launcherOf(job);
    const { spec } = await client.get(PODS, { namespace, name });
    const log = await this.training.logOf(name, spec?.containers[0]?.name);
    const [, pi, ranks, seen = ''] = /^pi ([\d.]+) ranks (\d+) hosts (\S+)$/m.exec(log) ?? [];
    expect(pi, `no result in the log:\n${log}`).toBeDefined();
    expect(Number(pi)).toBeCloseTo(Math.PI, 6);
    expect({ ranks, hosts: seen.split(',').sort() }).toEqual({ ranks: '4', hosts: [...hosts].sort() });
  }

  /** Expects that four ranks trained one model, with the result of a single process. */
  async expectTraining(job: string): Promise<void> {
    const pod = await this.launcherOf(job);
    const { first, last, workers, agree } = await this.training.resultOf(pod);
    expect({ workers, agree }).toEqual({ workers: 4, agree: true });
    expect(last).toBeLessThan(first / 5);
    expect(await this.training.logOf(pod)).toMatch(/^same as alone$/m);
  }

  /** Runs the example to its end, and expects that it trained and that only the launcher's pod is left. */
  async train(example: string): Promise<void> {
    const job = await this.createExample(example);
    await this.training.toSucceed(MPI_JOBS, job);
    await this.expectTraining(job);
    await this.training.podsToHaveEndedWell(job, [await this.launcherOf(job)]);
  }
}

/** Call it at the top of a spec file, as `trainingFixture`. */
export async function mpiFixture(): Promise<MpiFixture> {
  return new MpiFixture(await trainingFixture('mpi', 'mpi'));
}

export function workersOf(job: string): string[] {
  return [`${job}-worker-0`, `${job}-worker-1`];
}
