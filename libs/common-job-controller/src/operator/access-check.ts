/** Otherwise a missing permission would only be noticed when a job needs it. */
import { sleep, type Clock } from '@muster/controller';
import type { KubeClient, Logger } from '@muster/kube';
import { missingPermissions, type AccessRequest } from './permissions.ts';

const RETRY_MS = 5000;

interface Access {
  readonly client: KubeClient;
  readonly requests: readonly AccessRequest[];
  readonly clock: Clock;
  readonly logger: Logger;
}

export class AccessCheck {
  /** Undefined before the first answer. */
  missing: readonly string[] | undefined;

  /** Until nothing is missing, or `signal` is aborted. */
  async run({ client, requests, clock, logger }: Access, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const answers = requests.map((request) => missingPermissions(client, request, signal));
        this.missing = (await Promise.all(answers)).flat();
      } catch (error) {
        // The informers report an API server that does not answer.
        if (!signal.aborted) logger.debug('permissions could not be checked', { error: String(error) });
      }
      if (this.missing?.length === 0) return;
      await sleep(clock, RETRY_MS, signal);
    }
  }
}
