import type { ClusterAccess, ClusterClient, Logger } from '@muster/kube';
import { CredentialError, createKubeClient, loadCluster } from '@muster/kube';
import type { DynamicModule, FactoryProvider, ValueProvider } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import type { OperatorConfig } from './config.ts';
import { ConfigError } from './flags.ts';
import { processRegistry } from './process-metrics.ts';
import {
  CLUSTER_ACCESS,
  FRAMEWORK,
  KUBE_CLIENT,
  LEASE_CLIENT,
  LOGGER,
  ON_LEADERSHIP_LOST,
  OPERATOR_CONFIG,
  REGISTRY,
} from './tokens.ts';

/** Known before the container exists. */
export interface OperatorProcess {
  readonly framework: string;
  readonly config: OperatorConfig;
  readonly logger: Logger;
}

@Module({})
export class ProcessModule {
  static forProcess({ framework, config, logger }: OperatorProcess): DynamicModule {
    const providers: (ValueProvider | FactoryProvider)[] = [
      { provide: FRAMEWORK, useValue: framework },
      { provide: OPERATOR_CONFIG, useValue: config },
      { provide: LOGGER, useValue: logger },
      { provide: ON_LEADERSHIP_LOST, useValue: () => process.exit(1) },
      { provide: REGISTRY, inject: [FRAMEWORK], useFactory: processRegistry },
      { provide: CLUSTER_ACCESS, inject: [OPERATOR_CONFIG], useFactory: clusterAccess },
      {
        provide: KUBE_CLIENT,
        inject: [CLUSTER_ACCESS, FRAMEWORK, OPERATOR_CONFIG, LOGGER, REGISTRY],
        useFactory: kubeClient,
      },
      { provide: LEASE_CLIENT, inject: [CLUSTER_ACCESS, FRAMEWORK, LOGGER], useFactory: leaseClient },
    ];
    return { module: ProcessModule, global: true, providers, exports: providers.map(({ provide }) => provide) };
  }
}

/** Throws `ConfigError` if the kubeconfig is missing or invalid. The API server is not contacted. */
async function clusterAccess({ kubeconfig, context }: OperatorConfig): Promise<ClusterAccess> {
  try {
    return await loadCluster({
      preferServiceAccount: true,
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
    });
  } catch (error) {
    throw error instanceof CredentialError ? new ConfigError(error.message, { cause: error }) : error;
  }
}

function kubeClient(
  access: ClusterAccess,
  framework: string,
  { kubeApiQps: qps, kubeApiBurst: burst }: OperatorConfig,
  logger: Logger,
  registry: Registry,
): ClusterClient {
  const limit = { qps, ...(burst !== undefined && { burst }) };
  return createKubeClient(access, { userAgent: userAgent(framework), registry, logger, ...limit });
}

function leaseClient(access: ClusterAccess, framework: string, logger: Logger): ClusterClient {
  // One connection for the watch on the Lease and one for its renewals.
  return createKubeClient(access, { userAgent: userAgent(framework), logger, connections: 2 });
}

function userAgent(framework: string): string {
  return `muster-${framework}/${packageJson.version}`;
}
