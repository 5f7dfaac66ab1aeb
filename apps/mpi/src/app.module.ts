/** The microservice: the shell around the framework's one provider. */
import { mpiAdapter } from '@muster/adapter-mpi';
import type { OperatorRuntime } from '@muster/operator-host';
import { JOB_OPERATOR, OperatorModule, jobOperator } from '@muster/operator-host';
import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { MPI_FLAGS } from './flags.ts';

@Module({})
export class AppModule {
  static forRuntime(runtime: OperatorRuntime<typeof MPI_FLAGS>): DynamicModule {
    const {
      clusterDomain,
      deliveryImage,
      gpusPerNode,
      processingUnitsPerNode,
      processingResourceType,
      launcherComputes,
    } = runtime.config;
    const adapter = mpiAdapter({
      clusterDomain,
      deliveryImage,
      gpusPerNode,
      processingUnitsPerNode,
      processingResourceType,
      launcherComputes,
    });
    const operator = { provide: JOB_OPERATOR, useValue: jobOperator(runtime, adapter) };
    return { module: AppModule, imports: [OperatorModule.forRuntime(runtime, operator)] };
  }
}
