/** The microservice: the controller of XGBoostJobs. */
import { xgboostAdapter } from '@muster/adapter-xgboost';
import { JobControllerModule } from '@muster/operator-host';
import { Module } from '@nestjs/common';

@Module({ imports: [JobControllerModule.forFramework({ adapters: [xgboostAdapter()] })] })
export class AppModule {}
