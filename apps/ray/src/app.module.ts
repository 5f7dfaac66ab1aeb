/** The microservice: the controller of RayClusters and RayJobs. */
import { rayAdapters } from '@muster/adapter-ray';
import {
  CLUSTER_ACCESS,
  JobControllerModule,
  OPERATOR_CONFIG,
  type ClusterAccess,
  type OperatorConfig,
} from '@muster/operator-host';
import { Module } from '@nestjs/common';

@Module({
  imports: [
    JobControllerModule.forFrameworkAsync({
      inject: [OPERATOR_CONFIG, CLUSTER_ACCESS],
      useFactory: ({ clusterDomain }: OperatorConfig, { isInCluster, namespace }: ClusterAccess) => [
        ...rayAdapters({ clusterDomain, ...(isInCluster === true && { operatorNamespace: namespace }) }),
      ],
    }),
  ],
})
export class AppModule {}
