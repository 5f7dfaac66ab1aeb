/** The microservice: the controller of MPIJobs, as its flags have it. */
import { mpiAdapter } from '@muster/adapter-mpi';
import { JobControllerModule, OPERATOR_CONFIG, type OperatorConfig } from '@muster/operator-host';
import { Module } from '@nestjs/common';
import type { MPI_FLAGS } from './flags.ts';

@Module({
  imports: [
    JobControllerModule.forFrameworkAsync({
      inject: [OPERATOR_CONFIG],
      useFactory: (config: OperatorConfig<typeof MPI_FLAGS>) => [mpiAdapter(config)],
    }),
  ],
})
export class AppModule {}
