/** The microservice: the controller of PaddleJobs. */
import { paddleAdapter } from '@muster/adapter-paddle';
import { JobControllerModule } from '@muster/operator-host';
import { Module } from '@nestjs/common';

@Module({ imports: [JobControllerModule.forFramework({ adapters: [paddleAdapter()] })] })
export class AppModule {}
