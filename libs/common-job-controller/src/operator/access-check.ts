/** Otherwise a missing permission would only be noticed when a job needs it. */
import { sleep, type Clock } from '@muster/controller';
import type { KubeClient, Logger } from '@muster/kube';
import { missingPermissions, type AccessRequest } from './permissions.ts';

const RETRY_MS = 5000;

export class AccessCheck {
  missing: readonly string[] | undefined;
  #client: KubeClient;
  #requests: readonly AccessRequest[];
  #clock: Clock;
  #logger: Logger;

  constructor(client: KubeClient, requests: readonly AccessRequest[], clock: Clock, logger: Logger) {
    this.#client = client;
    this.#requests = requests;
    this.#clock = clock;
    this.#logger = logger;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#check(signal);
      if (this.missing?.length === 0) return;
      await sleep(this.#clock, RETRY_MS, signal);
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    try {
      const answers = this.#requests.map((request) => missingPermissions(this.#client, request, signal));
      this.missing = (await Promise.all(answers)).flat();
    } catch (error) {
      // The informers report an API server that does not answer.
      if (!signal.aborted) this.#logger.debug('permissions could not be checked', { error: String(error) });
    }
  }
}
