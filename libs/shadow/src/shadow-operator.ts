/**
 * Compares what another operator makes of its jobs with Muster's plan, and writes nothing. It takes no Lease: that would be a write, and
 * two processes that only read do not disturb each other.
 */
import {
  AccessCheck,
  type AccessRequest,
  cacheProblems,
  informersComponent,
  jobInformers,
  type JobOperator,
  type JobOperatorOptions,
  mayBeAbsent,
  nodePermissions,
  operatorPermissions,
  type Readiness,
  readPermissions,
  type WatchedKind,
} from '@muster/common-job-controller';
import { Lifecycle, systemClock, type Component } from '@muster/controller';
import type { KubeObject } from '@muster/job-api';
import { exportCacheSizes, type Informer } from '@muster/kube';
import { SHADOW, scrapedGauge } from '@muster/metrics';
import type { ShadowReport } from './shadow-ledger.ts';
import { ShadowLoop } from './shadow-loop.ts';

type Shared = 'adapters' | 'client' | 'registry' | 'logger' | 'clock' | 'namespaces' | 'concurrency' | 'settings';

export interface ShadowOperatorOptions extends Pick<JobOperatorOptions, Shared | 'shutdownTimeoutMs'> {
  /** How long nothing of a job may have changed before it is compared. Default: 10 s, since both operators batch changes. */
  readonly settleMs?: number;
  /** Called if the operator cannot start. The process must exit. */
  readonly onFailed: () => void;
}

const SETTLE_MS = 10_000;

export interface ShadowOperator extends JobOperator {
  /** The comparison of the jobs in a namespace, or in all. */
  shadowReport(namespace?: string): ShadowReport;
}

export function createShadowOperator(options: ShadowOperatorOptions): ShadowOperator {
  return new ComparingOperator(options);
}

class ComparingOperator implements ShadowOperator {
  #options: ShadowOperatorOptions;
  #informers: readonly Informer<KubeObject>[];
  #kinds: readonly WatchedKind[];
  #loops: readonly ShadowLoop[];
  #access = new AccessCheck();
  #checks = new AbortController();
  #lifecycle: Lifecycle;

  constructor(options: ShadowOperatorOptions) {
    const { adapters, registry, logger, clock = systemClock, settings, settleMs = SETTLE_MS } = options;
    this.#options = options;
    const { all, kinds } = jobInformers({ ...options, settings: { ...settings, ownUnlabelled: true } }, adapters);
    this.#informers = all;
    this.#kinds = kinds;
    const loops = kinds.map((kind) => new ShadowLoop(kind, { ...options, clock, settleMs }));
    this.#loops = loops;
    exportCacheSizes(registry, all);
    scrapedGauge(registry, SHADOW.jobs, () => loops.flatMap(samplesOf));
    const components: Component[] = [
      informersComponent(all, mayBeAbsent(options)),
      ...loops.map((loop) => ({ name: `comparison of ${loop.ledger.kind}s`, ...loop.work() })),
    ];
    this.#lifecycle = new Lifecycle({ logger, clock, stopDeadlineMs: options.shutdownTimeoutMs, components });
  }

  start(): Promise<void> {
    const { client, logger, clock = systemClock, onFailed } = this.#options;
    void this.#access.run({ client, requests: accessRequests(this.#options), clock, logger }, this.#checks.signal);
    this.#lifecycle.start().catch((error: unknown) => {
      logger.error('the operator cannot start', { error: String(error) });
      onFailed();
    });
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#checks.abort();
    await this.#lifecycle.stop();
  }

  readiness(): Readiness {
    const caches = cacheProblems(this.#informers, this.#kinds, this.#options);
    return { caches, lease: [], permissions: [...(this.#access.missing ?? ['permissions are being checked'])] };
  }

  problems(): string[] {
    return Object.values(this.readiness()).flat();
  }

  livenessProblems(): string[] {
    return [];
  }

  shadowReport(namespace?: string): ShadowReport {
    const { framework } = this.#options.adapters[0];
    return { framework, kinds: this.#loops.map(({ ledger }) => ledger.report(namespace)) };
  }
}

function samplesOf({ ledger }: ShadowLoop) {
  return Object.entries(ledger.classes()).map(([result, value]) => ({ labels: { kind: ledger.kind, result }, value }));
}

function accessRequests({ adapters, namespaces, settings }: ShadowOperatorOptions): AccessRequest[] {
  const permissions = readPermissions(operatorPermissions(adapters, settings.gang, settings.gangs));
  const where = namespaces.length === 0 ? [undefined] : namespaces;
  return [
    ...where.map((namespace) => ({ permissions, namespace })),
    ...(settings.forceDeletePodsOnLostNodes === true ? [{ permissions: nodePermissions() }] : []),
  ];
}
