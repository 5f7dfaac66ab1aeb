/**
 * One framework's operator without its shell: the informers, the leader election and the reconcile loop that belong
 * together, started and stopped in order. `libs/operator-host` wraps it in a process with probes and metrics; tests
 * run it with `new`-like simplicity against a real API server.
 */
import type { Clock } from '@muster/controller';
import type { KubeClient, Logger } from '@muster/kube';
import type { Registry } from 'prom-client';
import type { ServiceMode } from '@muster/job-api';
import type { FrameworkAdapter } from './adapter.ts';

export interface JobOperatorOptions {
  adapter: FrameworkAdapter;
  client: KubeClient;
  registry: Registry;
  logger: Logger;
  clock?: Clock;
  /** Namespaces to look after; empty for all of them. */
  namespaces: readonly string[];
  /** Jobs reconciled at the same time. */
  concurrency: number;
  /** Which Services jobs get that do not say it themselves (annotation `muster.dev/service-mode`). */
  serviceMode: ServiceMode;
  /** The DNS domain of the cluster, for addresses that are given to pods in full. */
  clusterDomain: string;
  leaderElection: { enabled: boolean; namespace: string; leaseDurationMs: number; renewDeadlineMs: number; retryPeriodMs: number };
  /** Called once when leadership is lost: the process has to end, or two would act. */
  onLeadershipLost(): void;
}

export interface JobOperator {
  /** Starts everything; resolves when it is under way (not when caches are in sync: see `problems`). */
  start(): Promise<void>;
  /** Stops intake, lets running reconciles end, flushes events, then gives the Lease up. */
  stop(deadlineMs: number): Promise<void>;
  /** What keeps the operator from being ready, one line each, in words that say what to do; empty when ready. */
  problems(): string[];
  /** What says the process is sick and should be restarted (stuck lease renewals); empty when alive. */
  sickness(): string[];
}
