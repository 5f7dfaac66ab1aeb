/** What only an MPIJob of v2beta1 has. */
import * as z from 'zod';
import { rulesOf, type MPIGeneration } from './mpi-generation.ts';
import type { Rule } from './rule.ts';

/** Whose `mpirun` the job's image has. */
export const MPI_IMPLEMENTATIONS = ['OpenMPI', 'Intel', 'MPICH'] as const;

export type MPIImplementation = (typeof MPI_IMPLEMENTATIONS)[number];

export const MPI_V2BETA1_FIELDS = {
  mpiImplementation: z
    .enum(MPI_IMPLEMENTATIONS)
    .describe('v2beta1 only: the MPI that the image has. It decides how the hosts are listed. Default OpenMPI.')
    .exactOptional(),
  runLauncherAsWorker: z
    .boolean()
    .describe('v2beta1 only: processes are started in the launcher, too; it is the first host. Default false.')
    .exactOptional(),
  launcherCreationPolicy: z
    .enum(['AtStartup', 'WaitForWorkersReady', ''])
    .describe(
      'v2beta1 only: whether the launcher is made together with the workers or once all of them are ready. Default ' +
        'AtStartup.',
    )
    .exactOptional(),
  sshAuthMountPath: z
    .string()
    .describe(
      "v2beta1 only: where the job's SSH keys are mounted, the .ssh folder of the user that the containers run as. Default " +
        '/root/.ssh.',
    )
    .exactOptional(),
};

interface V2beta1Spec {
  readonly apiGeneration: MPIGeneration;
  readonly sshAuthMountPath?: string;
}

export const MPI_V2BETA1_RULES: readonly Rule<V2beta1Spec>[] = rulesOf<V2beta1Spec>(
  ['v2beta1'],
  [
    {
      cel: "self.?sshAuthMountPath.orValue('/') != ''",
      holds: ({ sshAuthMountPath }) => sshAuthMountPath !== '',
      message: 'name the folder in which ssh looks for its keys, or leave the field out for /root/.ssh',
      reason: 'FieldValueRequired',
      at: ['sshAuthMountPath'],
    },
  ],
);
