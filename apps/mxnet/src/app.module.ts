/** The microservice: the controller of MXJobs. */
import { mxAdapter } from '@muster/adapter-mxnet';
import { JobControllerModule } from '@muster/operator-host';
import { Module } from '@nestjs/common';

@Module({
  imports: [JobControllerModule.forFramework({ adapters: [mxAdapter()] })],
})
export class AppModule {}
