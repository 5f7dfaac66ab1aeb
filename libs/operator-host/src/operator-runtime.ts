/** What an operator is built from, made once per process before Nest: its settings and its way to the cluster. */
import type { FrameworkAdapter, JobOperator } from '@muster/common-job-controller';
import { createJobOperator, gangSchedulerNamed } from '@muster/common-job-controller';
import type { ClusterClient, Logger } from '@muster/kube';
import type { Registry } from 'prom-client';
import type { OperatorConfig } from './config.ts';
import type { FlagSet } from './flags.ts';

export interface OperatorRuntime<F extends FlagSet = Record<never, never>> {
  /** As on the command line: `pytorch-elastic`. */
  readonly framework: string;
  readonly config: OperatorConfig<F>;
  readonly client: ClusterClient;
  /** For the Lease alone, so that its renewals never queue behind a job's writes. */
  readonly leaseClient: ClusterClient;
  /** The namespace that this process belongs to, as far as the cluster's credentials say. */
  readonly ownNamespace: string;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Ends the process, which must not act any more; why is logged by the one who calls. */
  onLeadershipLost(): void;
}

/** The operator of one framework under these settings; not started. */
export function jobOperator(runtime: OperatorRuntime, adapter: FrameworkAdapter): JobOperator {
  const { config, client, leaseClient, registry, logger } = runtime;
  return createJobOperator({
    adapters: [adapter],
    client,
    leaseClient,
    registry,
    logger,
    namespaces: config.namespaces,
    concurrency: config.concurrency,
    settings: {
      serviceMode: config.serviceMode,
      clusterDomain: config.clusterDomain,
      gang: gangSchedulerNamed(config.gangSchedulerName ?? ''),
      forceDeletePodsOnLostNodes: config.forceDeletePodsOnLostNodes,
    },
    leaderElection: {
      enabled: config.leaderElect,
      namespace: config.leaderElectionNamespace ?? runtime.ownNamespace,
      ...(config.leaderElectionId !== undefined && { id: config.leaderElectionId }),
      leaseDurationMs: config.leaseDurationMs,
      renewDeadlineMs: config.renewDeadlineMs,
      retryPeriodMs: config.retryPeriodMs,
    },
    shutdownTimeoutMs: config.shutdownTimeoutMs,
    onLeadershipLost: () => runtime.onLeadershipLost(),
  });
}
