/** How long operators need from the creation of a job in etcd to its first status there. */
import type { Change } from '../history/history.ts';

export class Reactions {
  readonly #resources: ReadonlySet<string>;
  /** By uid: jobs without a status. */
  readonly #createdMs = new Map<string, number>();
  readonly #seconds = new Map<string, number[]>();

  /** @param resources of the jobs, as in a {@link Change} */
  constructor(resources: readonly string[]) {
    this.#resources = new Set(resources);
  }

  note({ resource, atMs, before, after }: Change): void {
    const uid = (after ?? before)?.metadata?.uid;
    if (uid === undefined || !this.#resources.has(resource)) return;
    if (before === undefined) this.#createdMs.set(uid, atMs);
    const createdMs = this.#createdMs.get(uid);
    const isSeen = Object.keys(after?.status ?? {}).length > 0;
    if (createdMs === undefined || (after !== undefined && !isSeen)) return;
    this.#createdMs.delete(uid);
    if (!isSeen) return;
    const own = this.#seconds.get(resource) ?? [];
    this.#seconds.set(resource, [...own, (atMs - createdMs) / 1000]);
  }

  /** The median of each resource since the last call, in seconds. */
  take(): Map<string, number> {
    const medians = new Map<string, number>();
    for (const [resource, seconds] of this.#seconds)
      medians.set(resource, seconds.toSorted((one, other) => one - other)[Math.floor(seconds.length / 2)] ?? 0);
    this.#seconds.clear();
    return medians;
  }
}
