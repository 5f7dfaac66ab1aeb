/** The microservice: the controller of PyTorchJobs, as its flags have it. */
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { JobControllerModule, OPERATOR_CONFIG, type OperatorConfig } from '@muster/operator-host';
import { Module } from '@nestjs/common';
import type { PYTORCH_FLAGS } from './flags.ts';
import { initContainerSettings } from './init-container-settings.ts';

@Module({
  imports: [
    JobControllerModule.forFrameworkAsync({
      inject: [OPERATOR_CONFIG],
      useFactory: async (config: OperatorConfig<typeof PYTORCH_FLAGS>) => [
        pytorchAdapter(await initContainerSettings(config)),
      ],
    }),
  ],
})
export class AppModule {}
