/** Reads all figures of a soak at a time. */
import type { Resource } from '@muster/job-api';
import type { CampaignPlace } from '../run/run-campaign.ts';
import type { OperatorReplica } from '../run/operator-replica.ts';
import { pluralOf, readApiServer } from './api-server-figures.ts';
import type { Sample } from './growth.ts';
import { readProcess, type Totals } from './process-figures.ts';
import { Reactions } from './reactions.ts';

export class Sampler {
  readonly samples: Sample[] = [];
  readonly #place: CampaignPlace;
  readonly #resources: readonly Resource[];
  readonly #reactions: Reactions;
  /** By process id: a new process starts at 0. */
  readonly #totals = new Map<number, Totals>();

  /** Takes over the changes in etcd, which are not kept: a soak has too many. */
  constructor(place: CampaignPlace, resources: readonly Resource[]) {
    this.#place = place;
    this.#resources = resources;
    this.#reactions = new Reactions(resources.map(pluralOf));
    const { etcd, ray } = place;
    etcd.onChange = (change) => {
      etcd.changes.length = 0;
      ray.note(change);
      this.#reactions.note(change);
    };
  }

  /** @param atMs since the start of the load */
  async take(atMs: number): Promise<void> {
    const { client, replicas } = this.#place;
    // One after the other: the collections of garbage would compete for the processors.
    for (const replica of replicas) await this.#takeProcess(atMs, replica);
    this.samples.push({ atMs, of: 'API server', figures: await readApiServer(client, this.#resources) });
    for (const [of, seconds] of this.#reactions.take())
      this.samples.push({ atMs, of, figures: { 'reaction to a new job': seconds } });
  }

  async #takeProcess(atMs: number, { process, name }: OperatorReplica): Promise<void> {
    if (process === undefined) return;
    const { figures, isLeader, totals } = await readProcess(process, this.#totals.get(process.pid));
    this.#totals.set(process.pid, totals);
    this.samples.push({ atMs, of: `${name} (${isLeader ? 'leader' : 'standby'})`, figures });
  }
}
