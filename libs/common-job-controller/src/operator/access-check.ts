/**
 * Asks the API server what this operator may do, until it may do everything. Without it a missing right would show only
 * once some job needs it.
 */
import { sleep, type Clock } from '@muster/controller';
import type { KubeClient, Logger } from '@muster/kube';
import { missingPermissions } from './permissions.ts';
import type { Permission } from '../model/permission.ts';

const RETRY_MS = 5000;

export interface AccessQuestion {
  readonly permissions: readonly Permission[];
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
}

export class AccessCheck {
  /** What is missing, one line each; undefined until the first answer. */
  missing: readonly string[] | undefined;
  #client: KubeClient;
  #questions: readonly AccessQuestion[];
  #clock: Clock;
  #logger: Logger;

  constructor(client: KubeClient, questions: readonly AccessQuestion[], clock: Clock, logger: Logger) {
    this.#client = client;
    this.#questions = questions;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Resolves when nothing is missing, or when `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#ask(signal);
      if (this.missing?.length === 0) return;
      await sleep(this.#clock, RETRY_MS, signal);
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    try {
      const answers = this.#questions.map(({ permissions, namespace }) =>
        missingPermissions(this.#client, permissions, namespace, signal),
      );
      this.missing = (await Promise.all(answers)).flat();
    } catch (error) {
      // The informers report an API server that does not answer; here it only means to ask again.
      if (!signal.aborted) this.#logger.debug('permissions could not be checked', { error: String(error) });
    }
  }
}
