/** The microservice: the controller of RayClusters and RayJobs, and of Volcano Jobs if its flags enable them. */
import { rayAdapters, rayPlugin } from '@muster/adapter-ray';
import {
  CLUSTER_ACCESS,
  JobControllerModule,
  OPERATOR_CONFIG,
  type ClusterAccess,
  type OperatorConfig,
} from '@muster/operator-host';
import { volcanoJobAdapters } from '@muster/volcano-job';
import { Module } from '@nestjs/common';

@Module({
  imports: [
    JobControllerModule.forFrameworkAsync({
      inject: [OPERATOR_CONFIG, CLUSTER_ACCESS],
      useFactory: (config: OperatorConfig, { isInCluster, namespace }: ClusterAccess) => [
        ...rayAdapters({
          clusterDomain: config.clusterDomain,
          ...(isInCluster === true && { operatorNamespace: namespace }),
        }),
        ...volcanoJobAdapters(config, rayPlugin),
      ],
    }),
  ],
})
export class AppModule {}
