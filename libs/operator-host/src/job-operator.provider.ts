/** The only place where the shell creates the engine's `JobOperator`. The engine does not depend on NestJS. */
import { hostname } from 'node:os';
import type { FrameworkAdapter, JobOperator, PlanSettings } from '@muster/common-job-controller';
import {
  createJobOperator,
  gangSchedulerNamed,
  makesNetworkPolicies,
  withNetworkPolicy,
} from '@muster/common-job-controller';
import { systemClock } from '@muster/controller';
import { VOLCANO_JOBS } from '@muster/job-api';
import type { ClusterAccess, ClusterClient, Logger } from '@muster/kube';
import { RunRecorder } from '@muster/recording';
import { createShadowOperator, type ShadowOperator } from '@muster/shadow';
import type { FactoryProvider } from '@nestjs/common';
import type { Registry } from 'prom-client';
import type { OperatorConfig } from './config.ts';
import { ConfigError } from './flags.ts';
import {
  CLUSTER_ACCESS,
  FRAMEWORK_ADAPTERS,
  JOB_OPERATOR,
  KUBE_CLIENT,
  LEASE_CLIENT,
  LOGGER,
  ON_LEADERSHIP_LOST,
  OPERATOR_CONFIG,
  REGISTRY,
} from './tokens.ts';

export const jobOperatorProvider: FactoryProvider<JobOperator | ShadowOperator> = {
  provide: JOB_OPERATOR,
  inject: [
    FRAMEWORK_ADAPTERS,
    OPERATOR_CONFIG,
    CLUSTER_ACCESS,
    KUBE_CLIENT,
    LEASE_CLIENT,
    REGISTRY,
    LOGGER,
    ON_LEADERSHIP_LOST,
  ],
  useFactory: (
    adapters: readonly FrameworkAdapter[],
    config: OperatorConfig,
    access: ClusterAccess,
    client: ClusterClient,
    leaseClient: ClusterClient,
    registry: Registry,
    logger: Logger,
    onLeadershipLost: () => void,
  ) => {
    const shared = {
      adapters: atLeastOne(withNetworkPolicies(withVolcanoJobs(adapters, config), config, access)),
      client,
      registry,
      logger,
      namespaces: config.namespaces,
      concurrency: config.concurrency,
      settings: settingsOf(config),
      shutdownTimeoutMs: config.shutdownTimeoutMs,
    };
    if (config.shadow) return createShadowOperator({ ...shared, onFailed: onLeadershipLost });
    return createJobOperator({
      ...shared,
      leaseClient,
      perJobMetrics: config.perJobMetrics,
      services: access.isInCluster === true ? 'Direct' : 'Proxy',
      leaderElection: {
        enabled: config.leaderElect,
        namespace: config.leaderElectionNamespace ?? access.namespace,
        ...(config.leaderElectionId !== undefined && { id: config.leaderElectionId }),
        leaseDurationMs: config.leaseDurationMs,
        renewDeadlineMs: config.renewDeadlineMs,
        retryPeriodMs: config.retryPeriodMs,
      },
      recorder: recorderOf(config, adapters, registry, logger),
      onLeadershipLost,
    });
  },
};

function settingsOf(config: OperatorConfig): PlanSettings {
  return {
    serviceMode: config.serviceMode,
    clusterDomain: config.clusterDomain,
    startOrderInitImage: config.startOrderInitImage,
    sidecarGraceMs: config.sidecarGraceMs,
    gang: gangSchedulerNamed(config.gangSchedulerName ?? ''),
    gangs: config.gangSchedulers.flatMap((name) => gangSchedulerNamed(name) ?? []),
    kueue: config.kueue === 'Own',
    forceDeletePodsOnLostNodes: config.forceDeletePodsOnLostNodes,
  };
}

const MIB = 1024 * 1024;

function recorderOf(
  {
    record: folder,
    recordSize,
    recordEnvironment: withEnvironment,
  }: Pick<OperatorConfig, 'record' | 'recordSize' | 'recordEnvironment'>,
  [own]: readonly FrameworkAdapter[],
  registry: Registry,
  logger: Logger,
): RunRecorder | undefined {
  if (folder === undefined || own === undefined) return undefined;
  const settings = { folder, bytes: recordSize * MIB, withEnvironment };
  return new RunRecorder({ settings, name: own.framework, instance: hostname(), clock: systemClock, registry, logger });
}

/**
 * Kinds whose jobs configure this themselves are left unchanged. Throws `ConfigError` if the operator's own kind is
 * one: users must not rely on policies that do not exist.
 */
function withNetworkPolicies(
  adapters: readonly FrameworkAdapter[],
  { jobNetworkPolicy }: Pick<OperatorConfig, 'jobNetworkPolicy'>,
  { isInCluster, namespace }: Pick<ClusterAccess, 'isInCluster' | 'namespace'>,
): FrameworkAdapter[] {
  const [own] = adapters;
  if (own !== undefined && makesNetworkPolicies(own) && jobNetworkPolicy !== 'None') {
    throw new ConfigError(
      `--job-network-policy: remove the flag: ${own.resource.kind}s have spec.networkPolicy instead.`,
    );
  }
  const operatorNamespace = isInCluster === true ? namespace : undefined;
  return adapters.map((adapter) =>
    makesNetworkPolicies(adapter) ? adapter : withNetworkPolicy(adapter, jobNetworkPolicy, operatorNamespace),
  );
}

/** Throws `ConfigError` if the flag enables Volcano Jobs and the framework has no adapter for them. */
function withVolcanoJobs(
  adapters: readonly FrameworkAdapter[],
  { volcanoJobs }: Pick<OperatorConfig, 'volcanoJobs'>,
): readonly FrameworkAdapter[] {
  const [own] = adapters;
  if (own === undefined || !volcanoJobs || adapters.some(({ resource }) => resource === VOLCANO_JOBS)) return adapters;
  throw new ConfigError(
    `--volcano-jobs: remove the flag: the operator of ${own.resource.kind}s does not support Volcano Jobs.`,
  );
}

function atLeastOne(adapters: readonly FrameworkAdapter[]): readonly [FrameworkAdapter, ...FrameworkAdapter[]] {
  const [first, ...others] = adapters;
  if (first === undefined) throw new Error('the operator has no adapter: provide one for at least one kind');
  return [first, ...others];
}
