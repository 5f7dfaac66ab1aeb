/** The microservice: the controller of MXJobs, and of Volcano Jobs if its flags enable them. */
import { mxAdapter, mxnetPlugin } from '@muster/adapter-mxnet';
import { JobControllerModule, OPERATOR_CONFIG, type OperatorConfig } from '@muster/operator-host';
import { volcanoJobAdapters } from '@muster/volcano-job';
import { Module } from '@nestjs/common';

@Module({
  imports: [
    JobControllerModule.forFrameworkAsync({
      inject: [OPERATOR_CONFIG],
      useFactory: (config: OperatorConfig) => [mxAdapter(), ...volcanoJobAdapters(config, mxnetPlugin)],
    }),
  ],
})
export class AppModule {}
