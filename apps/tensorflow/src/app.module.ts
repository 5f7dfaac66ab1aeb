/** The microservice: the controller of TFJobs, and of Volcano Jobs if its flags enable them. */
import { tfAdapter, tensorflowPlugin } from '@muster/adapter-tensorflow';
import { JobControllerModule, OPERATOR_CONFIG, type OperatorConfig } from '@muster/operator-host';
import { volcanoJobAdapters } from '@muster/volcano-job';
import { Module } from '@nestjs/common';

@Module({
  imports: [
    JobControllerModule.forFrameworkAsync({
      inject: [OPERATOR_CONFIG],
      useFactory: (config: OperatorConfig) => [tfAdapter(), ...volcanoJobAdapters(config, tensorflowPlugin)],
    }),
  ],
})
export class AppModule {}
