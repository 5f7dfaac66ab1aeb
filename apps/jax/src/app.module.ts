/** The microservice: the controller of JAXJobs. */
import { jaxAdapter } from '@muster/adapter-jax';
import { JobControllerModule } from '@muster/operator-host';
import { Module } from '@nestjs/common';

@Module({ imports: [JobControllerModule.forFramework({ adapters: [jaxAdapter()] })] })
export class AppModule {}
