/** The microservice: the controller of MPIJobs, and of Volcano Jobs if its flags enable them. */
import { mpiAdapter, mpiPlugin } from '@muster/adapter-mpi';
import { JobControllerModule, OPERATOR_CONFIG, type OperatorConfig } from '@muster/operator-host';
import { volcanoJobAdapters } from '@muster/volcano-job';
import { Module } from '@nestjs/common';
import type { MPI_FLAGS } from './flags.ts';

@Module({
  imports: [
    JobControllerModule.forFrameworkAsync({
      inject: [OPERATOR_CONFIG],
      useFactory: (config: OperatorConfig<typeof MPI_FLAGS>) => [
        mpiAdapter(config),
        ...volcanoJobAdapters(config, mpiPlugin),
      ],
    }),
  ],
})
export class AppModule {}
