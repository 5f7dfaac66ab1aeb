/** The microservice: the shell around the framework's one provider. */
import { pytorchAdapter } from '@muster/adapter-pytorch';
import type { OperatorRuntime } from '@muster/operator-host';
import { JOB_OPERATOR, OperatorModule, jobOperator } from '@muster/operator-host';
import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { PYTORCH_FLAGS } from './flags.ts';

@Module({})
export class AppModule {
  static forRuntime(runtime: OperatorRuntime<typeof PYTORCH_FLAGS>): DynamicModule {
    return {
      module: AppModule,
      imports: [OperatorModule.forRuntime(runtime, { provide: JOB_OPERATOR, useValue: jobOperator(runtime, pytorchAdapter) })],
    };
  }
}
