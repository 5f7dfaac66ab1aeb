/**
 * Makes sure that a process which was told to stop does stop: a drain that overruns its time is cut, and a second
 * signal ends the process at once.
 */
import { setLongTimer, type Logger } from '@muster/kube';
import type { OnModuleInit } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import type { OperatorConfig } from './config.ts';
import { OperatorLifecycle } from './operator-lifecycle.ts';
import { LOGGER, OPERATOR_CONFIG } from './tokens.ts';

/** How long after the drain's own deadline the rest of the shutdown may take. */
const GRACE_MS = 2000;
/**
 * One Ctrl-C can arrive more than once: from the terminal, from npm, and half a second later because npm's shell has
 * ended. A repeat this soon is not a second wish.
 */
const SAME_SIGNAL_MS = 2000;

@Injectable()
export class ShutdownGuard implements OnModuleInit {
  readonly #lifecycle: OperatorLifecycle;
  readonly #shutdownTimeoutMs: number;
  readonly #logger: Logger;
  #askedAt: number | undefined;

  constructor(
    @Inject(OperatorLifecycle) lifecycle: OperatorLifecycle,
    @Inject(OPERATOR_CONFIG) { shutdownTimeoutMs }: OperatorConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#lifecycle = lifecycle;
    this.#shutdownTimeoutMs = shutdownTimeoutMs;
    this.#logger = logger;
  }

  /** Its listeners stay until the process ends: Nest's own go before that. */
  onModuleInit(): void {
    process.on('SIGTERM', (signal) => this.#onSignal(signal));
    process.on('SIGINT', (signal) => this.#onSignal(signal));
  }

  #onSignal(signal: NodeJS.Signals): void {
    if (this.#askedAt === undefined) {
      this.#askedAt = performance.now();
      this.#logger.info('shutting down', { signal });
      setLongTimer(this.#shutdownTimeoutMs + GRACE_MS, () => this.#overrun(), { isBackground: true });
    } else if (performance.now() - this.#askedAt > SAME_SIGNAL_MS) {
      this.#logger.warn('second signal: exiting without draining', { signal });
      process.exit(1);
    }
  }

  #overrun(): void {
    const fields = { shutdownTimeoutMs: this.#shutdownTimeoutMs, waitingFor: this.#lifecycle.waitingFor };
    this.#logger.error('the shutdown did not end in time: exiting', fields);
    process.exit(1);
  }
}
