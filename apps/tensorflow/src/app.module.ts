/** The microservice: the controller of TFJobs. */
import { tfAdapter } from '@muster/adapter-tensorflow';
import { JobControllerModule } from '@muster/operator-host';
import { Module } from '@nestjs/common';

@Module({
  imports: [JobControllerModule.forFramework({ adapters: [tfAdapter()] })],
})
export class AppModule {}
