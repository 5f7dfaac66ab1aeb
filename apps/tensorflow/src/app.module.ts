/** The microservice: the shell around the framework's one provider. */
import { tfAdapter } from '@muster/adapter-tensorflow';
import type { OperatorRuntime } from '@muster/operator-host';
import { JOB_OPERATOR, OperatorModule, jobOperator } from '@muster/operator-host';
import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';

@Module({})
export class AppModule {
  static forRuntime(runtime: OperatorRuntime): DynamicModule {
    const operator = { provide: JOB_OPERATOR, useValue: jobOperator(runtime, tfAdapter()) };
    return { module: AppModule, imports: [OperatorModule.forRuntime(runtime, operator)] };
  }
}
