/** The microservice: the controller of PyTorchJobs, and of Volcano Jobs if its flags enable them. */
import { pytorchAdapter, pytorchPlugin } from '@muster/adapter-pytorch';
import { JobControllerModule, OPERATOR_CONFIG, type OperatorConfig } from '@muster/operator-host';
import { volcanoJobAdapters } from '@muster/volcano-job';
import { Module } from '@nestjs/common';
import type { PYTORCH_FLAGS } from './flags.ts';
import { initContainerSettings } from './init-container-settings.ts';

@Module({
  imports: [
    JobControllerModule.forFrameworkAsync({
      inject: [OPERATOR_CONFIG],
      useFactory: async (config: OperatorConfig<typeof PYTORCH_FLAGS>) => [
        pytorchAdapter(await initContainerSettings(config)),
        ...volcanoJobAdapters(config, pytorchPlugin),
      ],
    }),
  ],
})
export class AppModule {}
