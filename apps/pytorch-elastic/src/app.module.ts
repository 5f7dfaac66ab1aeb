/** The microservice: the shell around the framework's one provider. */
import { pytorchAdapter } from '@muster/adapter-pytorch';
import type { OperatorRuntime } from '@muster/operator-host';
import { JOB_OPERATOR, OperatorModule, jobOperator } from '@muster/operator-host';
import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { PYTORCH_FLAGS } from './flags.ts';
import { readInitContainerTemplate } from './init-container-template.ts';

@Module({})
export class AppModule {
  static async forRuntime(runtime: OperatorRuntime<typeof PYTORCH_FLAGS>): Promise<DynamicModule> {
    const {
      initContainerImage: image,
      initContainerMaxTries: maxTries,
      initContainerTemplateFile: file,
    } = runtime.config;
    const adapter = pytorchAdapter({
      image,
      maxTries,
      ...(file !== undefined && { template: await readInitContainerTemplate({ file, image, maxTries }) }),
    });
    return {
      module: AppModule,
      imports: [OperatorModule.forRuntime(runtime, { provide: JOB_OPERATOR, useValue: jobOperator(runtime, adapter) })],
    };
  }
}
