/** What the suite's operators have in common: each works alone, with one worker, so that what it does can be followed. */
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { passRecord } from '../recorded-passes.ts';
import type { ConformanceOperator, MetricRegistry, OperatorStart } from './conformance-framework.ts';

/** An operator as far as the suite starts and stops it. */
interface Operator {
  start(): Promise<void>;
  stop(): Promise<void>;
  problems(): string[];
}

/** All options of an operator but its adapter and its registry. */
export function loneOperatorOptions(start: Omit<OperatorStart, 'resource'>) {
  const { client, namespaces, serviceMode, writesPerPass, clock, logger, ask } = start;
  return {
    client,
    namespaces,
    clock,
    logger,
    ...(ask && { ask }),
    record: passRecord(),
    concurrency: 1,
    settings: { serviceMode, clusterDomain: 'cluster.local', ...(writesPerPass !== undefined && { writesPerPass }) },
    leaderElection: {
      enabled: false,
      namespace: '',
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
    },
    // A pass that is cut off in the middle of a write does not count what it has written.
    shutdownTimeoutMs: 60_000,
    onLeadershipLost: () => expect.fail('it leads nobody'),
  };
}

/** Starts it; resolves when its caches are in sync. */
export async function started(operator: Operator, registry: MetricRegistry): Promise<ConformanceOperator> {
  await operator.start();
  await eventually(() => operator.problems().length === 0, { withinMs: 60_000, describe: () => operator.problems() });
  return { registry, stop: () => operator.stop() };
}
