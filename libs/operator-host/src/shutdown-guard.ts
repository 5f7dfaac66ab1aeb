/** Ends the process if a drain exceeds its deadline, and at once upon a second signal. */
import { setLongTimer, type Logger } from '@muster/kube';
import type { OnModuleInit } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import type { OperatorConfig } from './config.ts';
import { OperatorLifecycle } from './operator-lifecycle.ts';
import { LOGGER, OPERATOR_CONFIG } from './tokens.ts';

/** Time for the rest of the shutdown after the drain's deadline. */
const GRACE_MS = 2000;
/**
 * One Ctrl-C can arrive several times: from the terminal, from npm, and half a second later from npm's shell. A repeat
 * within this time is not a second signal.
 */
const SAME_SIGNAL_MS = 2000;

@Injectable()
export class ShutdownGuard implements OnModuleInit {
  readonly #lifecycle: OperatorLifecycle;
  readonly #shutdownTimeoutMs: number;
  readonly #logger: Logger;
  #signalledAt: number | undefined;

  constructor(
    @Inject(OperatorLifecycle) lifecycle: OperatorLifecycle,
    @Inject(OPERATOR_CONFIG) { shutdownTimeoutMs }: OperatorConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#lifecycle = lifecycle;
    this.#shutdownTimeoutMs = shutdownTimeoutMs;
    this.#logger = logger;
  }

  /** Nest removes its own listeners before the process ends; these stay. */
  onModuleInit(): void {
    process.on('SIGTERM', (signal) => this.#onSignal(signal));
    process.on('SIGINT', (signal) => this.#onSignal(signal));
  }

  #onSignal(signal: NodeJS.Signals): void {
    if (this.#signalledAt === undefined) {
      this.#signalledAt = performance.now();
      this.#logger.info('shutting down', { signal });
      setLongTimer(this.#shutdownTimeoutMs + GRACE_MS, () => this.#overrun(), { isBackground: true });
    } else if (performance.now() - this.#signalledAt > SAME_SIGNAL_MS) {
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
