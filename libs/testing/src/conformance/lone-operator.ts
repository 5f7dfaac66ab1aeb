/** Options of the suite's operators: no leader election and one worker, so that their actions are reproducible. */
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import type { ConformanceOperator, MetricRegistry, OperatorStart } from './conformance-framework.ts';

interface Operator {
  start(): Promise<void>;
  stop(): Promise<void>;
  problems(): string[];
}

export function loneOperatorOptions(start: Omit<OperatorStart, 'resource'>) {
  const { client, namespaces, serviceMode, writesPerRun, clock, logger, sendProbe } = start;
  return {
    client,
    namespaces,
    clock,
    logger,
    ...(sendProbe && { sendProbe }),
    concurrency: 1,
    settings: { serviceMode, clusterDomain: 'cluster.local', ...(writesPerRun !== undefined && { writesPerRun }) },
    leaderElection: {
      enabled: false,
      namespace: '',
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
    },
    // A reconcile run that is aborted during a write does not count it.
    shutdownTimeoutMs: 60_000,
    onLeadershipLost: () => expect.fail('it runs without leader election'),
  };
}

/** Resolves when the caches are synced. */
export async function started(operator: Operator, registry: MetricRegistry): Promise<ConformanceOperator> {
  await operator.start();
  await eventually(() => operator.problems().length === 0, { describe: () => operator.problems() });
  return { registry, stop: () => operator.stop() };
}
