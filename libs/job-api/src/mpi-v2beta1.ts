/** Fields of v2beta1 MPIJobs. */
import * as z from 'zod';
import { rulesOf, type MPIGeneration } from './mpi-generation.ts';
import type { Rule } from './rule.ts';

/** MPI implementations of the job's image. */
export const MPI_IMPLEMENTATIONS = ['OpenMPI', 'Intel', 'MPICH'] as const;

export type MPIImplementation = (typeof MPI_IMPLEMENTATIONS)[number];

export const MPI_V2BETA1_FIELDS = {
  mpiImplementation: z
    .enum(MPI_IMPLEMENTATIONS)
    .describe(
      'v2beta1 only: MPI implementation of the image, which decides the format of the hostfile. Default OpenMPI.',
    )
    .exactOptional(),
  runLauncherAsWorker: z
    .boolean()
    .describe('v2beta1 only: processes are also started in the launcher, which is the first host. Default false.')
    .exactOptional(),
  launcherCreationPolicy: z
    .enum(['AtStartup', 'WaitForWorkersReady', ''])
    .describe(
      'v2beta1 only: AtStartup creates the launcher together with the workers, WaitForWorkersReady once all of ' +
        'them are ready. Default AtStartup.',
    )
    .exactOptional(),
  sshAuthMountPath: z
    .string()
    .describe(
      "v2beta1 only: mount path of the job's SSH keys, the .ssh folder of the user of the containers. Default " +
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
      message:
        'must not be empty: set the folder in which ssh looks for its keys, or leave the field out for /root/.ssh',
      reason: 'FieldValueRequired',
      at: ['sshAuthMountPath'],
    },
  ],
);
