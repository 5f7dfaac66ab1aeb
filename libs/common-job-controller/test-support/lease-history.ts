import { LEASES, type Lease } from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
import { unbrokenWatch } from './unbroken-watch.ts';

interface Hold {
  /** Empty while the Lease has no holder. */
  readonly holder: string;
  /** Versions follow the order of the API server's writes over all kinds. */
  readonly version: number;
  /** By this process's clock, for output only. */
  readonly seenMs: number;
  readonly spec: NonNullable<Lease['spec']>;
}

export class LeaseHistory implements AsyncDisposable {
  readonly holds: Hold[] = [];
  readonly #stop = new AbortController();
  #watching: Promise<unknown> = Promise.resolve();

  static async of(client: ClusterClient, namespace: string, name: string): Promise<LeaseHistory> {
    const history = new LeaseHistory();
    const { signal } = history.#stop;
    const follow = await unbrokenWatch(client, LEASES, { namespace, signal }, ({ object }) => {
      if (object.metadata?.name === name) history.#note(object);
    });
    history.#watching = follow().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return history;
  }

  get holders(): string[] {
    return this.holds.map(({ holder }) => holder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  #note({ metadata, spec = {} }: Lease): void {
    const holder = spec.holderIdentity ?? '';
    const last = this.holds.at(-1);
    if (last?.holder === holder) this.holds[this.holds.length - 1] = { ...last, spec };
    else {
      this.holds.push({ holder, version: Number(metadata?.resourceVersion), seenMs: performance.now(), spec });
    }
  }
}
